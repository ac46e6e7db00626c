/** One call as a server streams it: its arguments in pieces. */
export interface WireCall {
  id: string;
  name: string;
  pieces: readonly string[];
}

export type WireStop = 'stop' | 'tool_calls' | 'length' | 'refusal';

/** How the servers of one model API write, and what they refuse to read. Written from the provider's documentation. */
export interface Wire {
  contentType: string;
  /** What it can say of an end without calls. */
  stops: readonly Exclude<WireStop, 'tool_calls'>[];
  /** Frames that come before anything is said. */
  opening(): string[];
  text(piece: string): string;
  reasoning(piece: string): string;
  /** Calls side by side, their pieces interleaved where the wire can. */
  calls(calls: readonly WireCall[]): string[];
  /** Frames that end a whole answer, with what it counted. */
  closing(stop: WireStop, usage: { inputTokens: number; outputTokens: number }): string[];
  /** What keeps a slow connection open. */
  keepAlive: string;
  /** JSON body of an HTTP error. */
  error(status: number, message: string): string;
  /** An error after the answer has begun. */
  errorInStream(message: string): string;
  /** What a strict server would refuse a request for; none for a good one. */
  problems(body: unknown): string[];
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
