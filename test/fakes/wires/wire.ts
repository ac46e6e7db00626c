import { z } from 'zod';
import { jsonSchema, parametersOf, strictJsonSchema } from './tool-schemas.js';

/** One call as a server streams it: its arguments in pieces. */
export interface WireCall {
  id: string;
  name: string;
  pieces: readonly string[];
}

export interface WireUsage {
  inputTokens: number;
  outputTokens: number;
}

export type WireStop = 'stop' | 'tool_calls' | 'length' | 'refusal';

/** How the servers of one model API write, and what they refuse to read. Written from the provider's documentation. */
export interface Wire {
  contentType: string;
  /** What it can say of an end without calls. */
  stops: readonly Exclude<WireStop, 'tool_calls'>[];
  /** Frames that come before anything is said; where the wire can, with what was counted so far. */
  opening(usage?: WireUsage): string[];
  text(piece: string): string;
  reasoning(piece: string): string;
  /** Calls side by side, their pieces interleaved where the wire can. An empty id is left out. */
  calls(calls: readonly WireCall[]): string[];
  /** Of images that it takes; default all. */
  kinds?: readonly string[];
  /** Whether calls come in pieces. */
  streamsCalls: boolean;
  /** Frames that end a whole answer, with what it counted; some servers never count. */
  closing(stop: WireStop, usage?: WireUsage): string[];
  /** What keeps a slow connection open. */
  keepAlive: string;
  /** Frames that servers send although they say nothing: empty, null, or of a kind that nobody knows yet. */
  nothings: readonly string[];
  /** JSON body of an HTTP error. */
  error(status: number, message: string): string;
  /** An error after the answer has begun. */
  errorInStream(message: string): string;
  /** What a strict server would refuse a request for; none for a good one. */
  problems(body: unknown): string[];
}

/** The pieces of all calls, one of each in turn. */
export function interleaved(calls: readonly WireCall[]): { at: number; piece: string }[] {
  const rounds = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
  return Array.from({ length: rounds }, (_, round) =>
    calls.flatMap(({ pieces }, at) => {
      const piece = pieces[round];
      return piece === undefined ? [] : [{ at, piece }];
    }),
  ).flat();
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

export const base64 = z.base64().min(4);
/** An image in a URL, of a kind that is read. */
export const imageUrl = z.string().regex(/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/);

/** The name of a tool, as every wire takes it. */
export const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** Tools as OpenAI's chat writes them, and who copied it. */
const tool = z.strictObject({ name: toolName, description: z.string(), parameters: parametersOf(jsonSchema) });
const strictTool = tool.extend({ strict: z.literal(true), parameters: parametersOf(strictJsonSchema) });
export const functionTools = z
  .array(z.strictObject({ type: z.literal('function'), function: z.union([tool, strictTool]) }))
  .optional();

/** What a strict server says of a body; `more` looks at one whose parts are right. */
export function problemsOf<T>(schema: z.ZodType<T>, body: unknown, more: (read: T) => string[] = () => []): string[] {
  const { success, data, error } = schema.safeParse(body);
  return success ? more(data) : error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** "Conversation roles must alternate user/assistant/user/assistant/...", as the templates of local models say; tools stand between answers. */
export function turnProblems(messages: readonly { role: string; tool_calls?: unknown }[]): string[] {
  const said = messages.filter(({ role }) => role !== 'system');
  const repeated = said.flatMap(({ role, tool_calls: calls }, n) =>
    role !== 'tool' && role === said[n + 1]?.role && !calls ? [`messages.${n + 1}: roles must alternate`] : [],
  );
  return said[0]?.role === 'user' ? repeated : ['the first message is not the user’s', ...repeated];
}
