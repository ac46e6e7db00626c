import { TerminalError } from '#kernel';

/** A provider said, or we know, that a request is longer than the model's window. */
export function isOverflow(error: unknown): boolean {
  return error instanceof TerminalError && error.code === 'context_overflow';
}
