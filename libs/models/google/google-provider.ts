import { ApiError, GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import { z } from 'zod';
import type { ModelEvent, ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { messagesOf, type FailureFacts } from '../wire/wire-failure.js';
import { WireProvider, type Answered, type WireOptions } from '../wire/wire-provider.js';
import type { Opened } from '../wire/wire-stream.js';
import { toContents, toTools } from './google-messages.js';
import { readGoogle } from './google-stream.js';
import { googleThinkingLevels, thinkingConfig } from './google-thinking.js';

export type GoogleOptions = WireOptions & { apiKey: string };

/** The one that takes tools, instructions and thoughts. */
const API_VERSION = 'v1beta';

/** The Gemini API, streamed (MO-1, MO-2). */
export class GoogleProvider extends WireProvider<GenerateContentResponse> {
  readonly #options: GoogleOptions;

  constructor(options: GoogleOptions) {
    super(options, { id: 'google' });
    this.#options = options;
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return googleThinkingLevels(model);
  }

  /** The SDK keeps the headers of an answer to itself, so each request looks at its own. */
  protected async open(
    request: ModelRequest,
    abortSignal: AbortSignal,
    answered: Answered,
  ): Promise<Opened<GenerateContentResponse>> {
    const { apiKey, baseUrl } = this.#options;
    const { model, system, tools, thinking } = request;
    const watched = async (url: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(url, init);
      answered.headers = response.headers;
      return response;
    };
    const httpOptions = { apiVersion: API_VERSION, ...(baseUrl !== undefined && { baseUrl }), fetch: watched };
    const client = new GoogleGenAI({ apiKey, httpOptions });
    const thinkingWanted = thinkingConfig(model, thinking);
    const config = {
      abortSignal,
      ...(thinkingWanted && { thinkingConfig: thinkingWanted }),
      ...(system && { systemInstruction: system }),
      ...(tools.length > 0 && { tools: toTools(tools) }),
    };
    const pieces = await client.models.generateContentStream({ model, contents: toContents(request, this.id), config });
    return { pieces, headers: answered.headers };
  }

  protected read(pieces: AsyncIterable<GenerateContentResponse>): AsyncIterable<ModelEvent> {
    return readGoogle(pieces);
  }

  protected factsOf(error: unknown, headers: Headers | undefined): FailureFacts {
    return factsOf(error, headers);
  }
}

const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    status: z.string().optional(),
    details: z.array(z.looseObject({ retryDelay: z.string().optional() })).optional(),
  }),
});

/** Google says when to come back in the body: `"retryDelay": "3.5s"`. */
function factsOf(error: unknown, headers: Headers | undefined): FailureFacts {
  if (!(error instanceof ApiError))
    return { status: undefined, kinds: [], message: messagesOf(error), headers: undefined, isNetwork: true };
  const said = saidIn(error.message);
  const delay = said?.details?.find(({ retryDelay }) => retryDelay)?.retryDelay?.replace(/s$/, '');
  const told = new Headers(headers);
  if (delay !== undefined && !told.has('retry-after')) told.set('retry-after', delay);
  return {
    status: error.status,
    kinds: [said?.status],
    message: said?.message ?? error.message,
    headers: told,
    isNetwork: false,
  };
}

/** The SDK's message holds the body of the answer. */
function saidIn(message: string) {
  try {
    return errorSchema.safeParse(JSON.parse(message.slice(message.indexOf('{')))).data?.error;
  } catch {
    return undefined;
  }
}
