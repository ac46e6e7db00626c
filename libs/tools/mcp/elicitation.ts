import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ToolResult } from '#agent';
import { defaultOf, fieldSchema, fieldValueSchema, labelsOf, valueOf, type Field } from './elicitation-field.js';

/** What a server asks of a person, as MCP writes it: a form, or a page to visit. */
const requestSchema = z.union([
  z.object({ mode: z.literal('url'), message: z.string(), url: z.url() }),
  z.object({
    mode: z.literal('form').optional(),
    message: z.string(),
    requestedSchema: z.object({
      properties: z.record(z.string(), fieldSchema),
      required: z.array(z.string()).default([]),
    }),
  }),
]);
export type ElicitRequest = z.output<typeof requestSchema>;

const resultSchema = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), fieldValueSchema).optional(),
});
export type ElicitResult = z.output<typeof resultSchema>;

/** A call that cannot go on without a person. Lies in the journal while the turn is parked. */
const pendingSchema = z.object({
  /** The first is being asked. */
  open: z.array(z.object({ key: z.string(), request: requestSchema })),
  /** Answers to the first, so far; null: left out. */
  fields: z.record(z.string(), fieldValueSchema.nullable()),
  /** What is answered of this round, by the server's keys. */
  responses: z.record(z.string(), resultSchema),
  /** The server's own note of where it was; it holds nothing itself (2026-07-28). */
  requestState: z.string().optional(),
  /** Everything ever answered in this call, for servers that ask again from the start (2025-11-25). */
  earlier: z.array(z.object({ request: z.string(), result: resultSchema })),
});
type Pending = z.output<typeof pendingSchema>;
type Form = Exclude<ElicitRequest, { mode: 'url' }>;

/** What a call brings along of answers. */
export type Answers = Pick<Pending, 'responses' | 'requestState' | 'earlier'>;

/** The server wants to know something first. */
export class AnswerNeeded extends Error {
  override name = 'AnswerNeeded';
  constructor(
    readonly requests: Readonly<Record<string, unknown>>,
    readonly requestState?: string,
  ) {
    super('The server asks a person');
  }
}

export const NO_ANSWERS: Answers = { responses: {}, earlier: [] };

const MOST_TITLE = 2000;
/** Of choices on buttons, and of the characters of one. */
const MOST_CHOICES = 7;
const LONGEST_CHOICE = 60;

/** The question a call parks its turn with (TU-7). An error for the model where the server asks what no person is asked. */
export function askPerson(server: string, needed: AnswerNeeded, { earlier }: Answers): ToolResult {
  const requests = z.record(z.string(), requestSchema).safeParse(needed.requests);
  if (!requests.success) return { text: `The server ${server} asks for something no person is asked here.`, isError: true };
  const open = Object.entries(requests.data).map(([key, request]) => ({ key, request }));
  const { requestState } = needed;
  return nextQuestion(server, { open, fields: {}, responses: {}, earlier, ...(requestState !== undefined && { requestState }) });
}

/** Takes a person's words for what was asked last. @returns the next question, or what the call may go on with */
export function takeAnswer(server: string, state: string, words: string): ToolResult | Answers {
  const pending = pendingSchema.parse(JSON.parse(state));
  const [asked, ...open] = pending.open;
  if (!asked) return pending;
  const understood = understand(asked.request, pending, words.trim());
  if (understood.kind === 'not') return nextQuestion(server, pending, understood.why);
  if (understood.kind === 'part') return nextQuestion(server, { ...pending, fields: understood.fields });
  const { result } = understood;
  const next = {
    ...pending,
    open,
    fields: {},
    responses: { ...pending.responses, [asked.key]: result },
    earlier: [...pending.earlier, { request: fingerprint(asked.request), result }],
  };
  return open.length > 0 ? nextQuestion(server, next) : next;
}

type Understood =
  { kind: 'not'; why: string } | { kind: 'part'; fields: Pending['fields'] } | { kind: 'whole'; result: ElicitResult };

function understand(request: ElicitRequest, { fields }: Pending, said: string): Understood {
  if (/^decline$/i.test(said)) return { kind: 'whole', result: { action: 'decline' } };
  if (/^cancel$/i.test(said)) return { kind: 'whole', result: { action: 'cancel' } };
  if (request.mode === 'url') return { kind: 'whole', result: { action: 'accept' } };
  const [name, field] = firstOpen(request, fields) ?? [];
  if (name === undefined || field === undefined) return { kind: 'whole', result: accepted(fields) };
  const skipped = /^skip$/i.test(said) && maySkip(request, name, field);
  const value = skipped ? (defaultOf(field) ?? null) : valueOf(field, said);
  if (value === undefined) return { kind: 'not', why: `"${said.slice(0, LONGEST_CHOICE)}" is not what it takes.` };
  const more = { ...fields, [name]: value };
  return firstOpen(request, more) ? { kind: 'part', fields: more } : { kind: 'whole', result: accepted(more) };
}

function accepted(fields: Pending['fields']): ElicitResult {
  const content = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** What was answered to a server that asks the same again, having begun the call anew. */
export function answeredBefore({ earlier }: Answers, request: unknown): ElicitResult | undefined {
  const parsed = requestSchema.safeParse(request);
  if (!parsed.success) return undefined;
  const asked = fingerprint(parsed.data);
  return earlier.find((one) => one.request === asked)?.result;
}

function fingerprint(request: ElicitRequest): string {
  return hash('sha256', JSON.stringify(request), 'base64url');
}

function firstOpen({ requestedSchema }: Form, fields: Pending['fields']): [string, Field] | undefined {
  return Object.entries(requestedSchema.properties).find(([name]) => !Object.hasOwn(fields, name));
}

function maySkip({ requestedSchema }: Form, name: string, field: Field): boolean {
  return !requestedSchema.required.includes(name) || defaultOf(field) !== undefined;
}

function skipHint(field: Field): string {
  const without = defaultOf(field);
  return without === undefined ? '"skip" to leave it out' : `"skip" for ${JSON.stringify(without)}`;
}

/** What the server wrote is shown as its own words: it may ask for what nobody should tell it. */
function nextQuestion(server: string, pending: Pending, complaint = ''): ToolResult {
  const [asked] = pending.open;
  const { lines, choices } = asked ? question(asked.request, pending.fields) : { lines: [], choices: [] };
  const fit = choices.length <= MOST_CHOICES && choices.every(({ length }) => length <= LONGEST_CHOICE);
  const [first = '', ...others] = lines;
  const text = [complaint, `The MCP server "${server}" asks: ${first}`, ...others].filter(Boolean).join('\n');
  return {
    text: text.slice(0, MOST_TITLE),
    isError: false,
    asks: { choices: fit ? [...choices, 'decline'] : [], resume: JSON.stringify(pending) },
  };
}

function question(request: ElicitRequest, fields: Pending['fields']): { lines: string[]; choices: string[] } {
  if (request.mode === 'url') {
    const lines = [request.message, request.url, 'Answer "done" once you have been there, or "decline".'];
    return { lines, choices: ['done'] };
  }
  const [name, field] = firstOpen(request, fields) ?? [];
  if (name === undefined || field === undefined) return { lines: [request.message], choices: ['yes'] };
  const { title = name, description = '' } = field;
  const choices = labelsOf(field);
  const hints = [
    choices.length > 0 && `one of: ${choices.join(', ')}`,
    field.type === 'array' && 'several with commas',
    maySkip(request, name, field) && skipHint(field),
    '"decline" to refuse',
  ];
  const asked = `${title}${description && `: ${description}`} (${hints.filter(Boolean).join('; ')})`;
  return { lines: [request.message, asked], choices };
}
