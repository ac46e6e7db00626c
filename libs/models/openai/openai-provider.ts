import OpenAI from 'openai';
import type { ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import type { FailureFacts } from '../wire/wire-failure.js';
import { WireProvider, type WireOptions } from '../wire/wire-provider.js';
import type { Opened } from '../wire/wire-stream.js';
import { factsOf } from './openai-failure.js';
import { openAiThinkingLevels } from './openai-thinking.js';

export type OpenAiOptions = WireOptions & { apiKey: string };

/** The largest delay a timer takes: the SDK's own time-out never fires, the watchdog is the only one. */
const NEVER_MS = 2 ** 31 - 1;

/** What both APIs share: the SDK, and what only OpenAI's own server is told. */
export abstract class OpenAiProvider<Piece> extends WireProvider<Piece> {
  protected readonly sdk: OpenAI;
  /** A compatible server may refuse a request for a field that it does not know. */
  protected readonly isOpenAi: boolean;

  constructor(options: OpenAiOptions) {
    super(options, { id: 'openai' });
    const { apiKey, baseUrl } = options;
    this.isOpenAi = baseUrl === undefined;
    this.sdk = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0, timeout: NEVER_MS, logLevel: 'off' });
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return openAiThinkingLevels(model);
  }

  protected factsOf(error: unknown): FailureFacts {
    return factsOf(error);
  }

  protected cacheField({ cacheKey }: ModelRequest): { prompt_cache_key?: string } {
    return this.isOpenAi && cacheKey ? { prompt_cache_key: cacheKey } : {};
  }
}

/** What was asked over HTTP. */
export async function overHttp<Piece>(asked: {
  withResponse(): Promise<{ data: AsyncIterable<Piece>; response: Response }>;
}): Promise<Opened<Piece>> {
  const { data: pieces, response } = await asked.withResponse();
  return { pieces, headers: response.headers };
}
