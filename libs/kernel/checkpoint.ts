/**
 * Named places in the life of a message. In production nobody listens and a checkpoint costs one comparison.
 * The failure-matrix tests listen, to kill or stop a process exactly there.
 */
type Listener = (name: string) => void;

let listener: Listener | undefined;

export function checkpoint(name: string): void {
  listener?.(name);
}

/** Replaces the listener of this process; `undefined` removes it. */
export function onCheckpoint(next: Listener | undefined): void {
  listener = next;
}
