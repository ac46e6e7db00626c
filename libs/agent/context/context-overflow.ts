import { TerminalError } from '#kernel';

/** A provider said, or we know, that a request is longer than the model's window. */
export function isOverflow(error: unknown): boolean {
  return error instanceof TerminalError && error.code === 'context_overflow';
}

/** The request is longer than the window of the model that stands in for the one that was asked (T8). */
export class FallbackOverflow extends TerminalError {
  override name = 'FallbackOverflow';

  /** @param model provider/model */
  constructor(
    readonly model: string,
    readonly windowTokens: number,
    options?: ErrorOptions,
  ) {
    super('context_overflow', `The request is longer than the ${windowTokens} tokens that ${model} takes`, options);
  }
}
