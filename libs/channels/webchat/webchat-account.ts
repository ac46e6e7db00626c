import { z } from 'zod';
import type { OutboxRow, Target } from '#contracts';
import { describeError, raceSignal } from '#kernel';
import type { ChannelAccount, ChannelCapabilities, Chunk, OutboundChannel, SendContext, SendOutcome } from '../channel-port.js';
import { renderSource } from '../markdown/render-source.js';
import { webchatDescription } from './webchat-description.js';

/** Writes a message into the event stream of its session, once per row id however often it is called. */
export type AppendMessage = (row: OutboxRow, target: Target) => Promise<void>;

export interface WebchatAccountOptions {
  account: string;
  append: AppendMessage;
  /** UTF-16 units. */
  maxTextLength?: number;
}

/** The web chat and whoever reads a session's events. Messages come in over the app's own authenticated routes. */
export function webchatAccount({ account, append, maxTextLength }: WebchatAccountOptions): ChannelAccount {
  const description = webchatDescription;
  const capabilities = { ...description.capabilities, ...(maxTextLength !== undefined && { maxTextLength }) };
  return { channel: description.name, account, description, outbound: new WebchatOutbound(append, capabilities) };
}

const payloadSchema = z.object({ id: z.string() });

class WebchatOutbound implements OutboundChannel {
  constructor(
    private readonly append: AppendMessage,
    readonly capabilities: ChannelCapabilities,
  ) {}

  /** Markdown as the model wrote it: the page renders it. The first chunk is the row itself, for readers that wait for its id. */
  render(row: OutboxRow): Chunk[] {
    if (row.action) return [{ text: row.text, payload: { id: row.id } }];
    return renderSource(row.text, this.capabilities.maxTextLength).map(({ text }, index) => ({
      text,
      payload: { id: index === 0 ? row.id : `${row.id}/${index}` },
    }));
  }

  async send(target: Target, chunk: Chunk, { row, timeoutMs }: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    if (signal.aborted) return { kind: 'retry', reason: 'stopped before the write' };
    const { id } = payloadSchema.parse(chunk.payload);
    try {
      await raceSignal(
        this.append(partOf(row, id, chunk.text), target),
        AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      );
      return { kind: 'sent', platformId: row.action?.message ?? id };
    } catch (error) {
      // Also after a timeout: a second write of the same id changes nothing.
      return { kind: 'retry', reason: describeError(error) };
    }
  }
}

/** What stands beside the text stands beside its first part. */
function partOf(row: OutboxRow, id: string, text: string): OutboxRow {
  const { media: _, buttons: __, ...rest } = row;
  return id === row.id ? { ...row, text } : { ...rest, id, text };
}
