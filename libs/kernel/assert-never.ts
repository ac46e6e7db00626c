/** Ends a switch over a union: the compiler refuses a state nobody thought of. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
