import { z } from 'zod';
import { outboundMediaSchema, type Button, type ChatMessage, type OutboundMedia, type OutboxAction } from '#contracts';

export type ChatEntry =
  | {
      kind: 'message';
      mode: 'narration' | 'immediate' | 'batched' | 'final' | 'notice';
      /** Where it is known: what changes and replies call it. */
      id?: string;
      text: string;
      partial?: true;
      replyTo?: string;
      media?: OutboundMedia[];
      buttons?: Button[];
    }
  | { kind: 'tool'; name: string; state: 'done' | 'failed' };

/** What became of a message that was shown before, in this turn or an earlier one. */
export interface ChatChange {
  action: OutboxAction;
  /** After an edit. */
  text: string;
  media?: OutboundMedia[];
  buttons?: Button[];
}

/** What the message tool did in a turn. */
export interface Sends {
  /** By tool call. */
  shown: Map<string, ChatEntry>;
  changes: ChatChange[];
}

const buttonsSchema = z.array(z.object({ text: z.string(), data: z.string().optional() })).default([]);
const callSchema = z.object({
  action: z.string().default('send'),
  content: z.string().default(''),
  emoji: z.string().default(''),
  media: z.array(outboundMediaSchema).default([]),
  buttons: buttonsSchema,
});
const reportSchema = z.object({
  deliveryMode: z.enum(['immediate', 'batched']).default('immediate'),
  platformMessageId: z.string().optional(),
  sequenceInTurn: z.number().optional(),
  messageId: z.string().optional(),
  replyTo: z.string().optional(),
});

/** Calls that failed, or whose send was dropped, did nothing. */
export function sendsOf(turn: string, messages: readonly ChatMessage[]): Sends {
  const sends: Sends = { shown: new Map(), changes: [] };
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  for (const { id, name, arguments: args } of calls.filter((one) => one.name === 'message')) {
    const result = messages.find((message) => message.role === 'tool' && message.callId === id && message.name === name);
    const call = callSchema.safeParse(json(args)).data;
    if (!call || result?.role !== 'tool' || result.isError) continue;
    const report = reportSchema.safeParse(json(result.text)).data ?? { deliveryMode: 'immediate' as const };
    const change = changeOf(call, report.messageId);
    if (change) sends.changes.push(change);
    else sends.shown.set(id, entryOf(turn, call, report));
  }
  return sends;
}

type Call = z.output<typeof callSchema>;
type Report = z.output<typeof reportSchema>;

function changeOf({ action, emoji, ...call }: Call, message: string | undefined): ChatChange | undefined {
  if (message === undefined) return undefined;
  switch (action) {
    case 'edit':
      return { action: { do: 'edit', message }, text: call.content, ...besideText(call) };
    case 'delete':
      return { action: { do: 'delete', message }, text: '' };
    case 'react':
      return { action: { do: 'react', message, emoji: emoji || null }, text: '' };
    default:
      return undefined;
  }
}

function entryOf(turn: string, call: Call, report: Report): ChatEntry {
  const { deliveryMode, platformMessageId, sequenceInTurn, replyTo } = report;
  const id = platformMessageId ?? (sequenceInTurn === undefined ? undefined : `${turn}-${sequenceInTurn}`);
  return {
    kind: 'message',
    mode: deliveryMode,
    ...(id !== undefined && { id }),
    text: call.content,
    ...(replyTo !== undefined && { replyTo }),
    ...besideText(call),
  };
}

function besideText({ media, buttons }: Pick<Call, 'media' | 'buttons'>): Pick<ChatChange, 'media' | 'buttons'> {
  const pressed = buttons.map(({ text, data = text }) => ({ text, data }));
  return { ...(media.length > 0 && { media }), ...(pressed.length > 0 && { buttons: pressed }) };
}

/** undefined for what is none: a model wrote it. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
