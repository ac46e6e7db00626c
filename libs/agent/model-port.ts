import type { ChatMessage, ImageReference, ThinkingLevel, Usage } from '#contracts';

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>;
}

/** An image as a model reads it. */
export interface SeenImage {
  mime: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  base64: string;
}
/** Or why it does not, in words that end a sentence. */
export type ImageView = SeenImage | { unseen: string };

export interface ModelRequest {
  /** The provider's own model name, without the provider. */
  model: string;
  system: string;
  messages: readonly ChatMessage[];
  tools: readonly ToolSpec[];
  /** A provider takes the nearest level its model knows; undefined leaves it to the model. */
  thinking?: ThinkingLevel | undefined;
  /** What the images of its messages show; undefined: the model reads none. */
  imageOf?: ((image: ImageReference) => ImageView) | undefined;
  /** The same for requests that begin alike: where a provider asks for one, it finds its prompt cache by it. */
  cacheKey?: string | undefined;
}

/** Of a minute, as the provider counts; what it does not say is undefined. */
export interface SaidLimit {
  limit: number | undefined;
  remaining: number | undefined;
}

/** One event union out of every provider's stream (MO-2). */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A whole thought that the provider wants back; its text was streamed before. */
  | { type: 'thought'; text: string; signature: string; redacted?: true; id?: string; account?: string }
  /** For watchers, where a provider streams arguments: a call has begun, the `index`th of its answer from 0. */
  | { type: 'tool_call_start'; index: number; name: string }
  /** The next piece of its arguments. */
  | { type: 'tool_call_delta'; index: number; arguments: string }
  /** The whole call, once its arguments are complete: this one counts. */
  | { type: 'tool_call'; id: string; name: string; arguments: string; signature?: string | undefined }
  | { type: 'usage'; usage: Usage }
  /** Who answers, as provider/model: where several may, it comes before what they say. */
  | { type: 'answering'; model: string }
  /** Void is what came of this answer so far: who gave it died, and another one begins (MO-3). */
  | { type: 'restart' }
  /** Before everything else, where the provider says what its limits are and what is left of them. */
  | { type: 'limits'; requests: SaidLimit; tokens: SaidLimit }
  /** The last event of a whole answer. A stream that ends without it is an error, never an answer (TU-8). */
  | { type: 'stop'; reason: StopReason };

export type StopReason = 'stop' | 'tool_calls' | 'length' | 'refusal';

/**
 * Streams one model answer. Throws TransientError (retry may help; `retryAfterMs` is a floor) or TerminalError.
 * Closes its socket within 1 s of `signal` and then throws the signal's reason.
 */
export interface ModelProvider {
  readonly id: string;
  /** What a model knows; default: none. */
  thinkingLevels?(model: string): readonly ThinkingLevel[];
  /** Stands for the key whose limits count: a hash, never the key itself. None: nobody counts. */
  readonly account?: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Per million tokens, in any one currency. */
export interface ModelPrice {
  inputPerMillion: number;
  /** Reasoning is output. */
  outputPerMillion: number;
  /** Of input that was read from the provider's cache, or written there; default: as other input. */
  cacheReadPerMillion?: number | undefined;
  cacheWritePerMillion?: number | undefined;
}
