/** ms by the monotonic clock of the host, which all processes of the bench share. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
