import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { WebhookRequest } from '#channels';

/** The normalised fields a fixture must give; values are asserted, names are the fixtures' own. */
const expectedSchema = z.object({
  channel: z.string(),
  accountId: z.string(),
  kind: z.enum(['message', 'edit', 'callback', 'system', 'command']),
  dedupeKey: z.string(),
  chatId: z.string(),
  chatType: z.enum(['direct', 'group', 'channel']),
  threadId: z.string().nullable(),
  messageId: z.string().nullable(),
  senderId: z.string(),
  senderName: z.string().nullable(),
  senderIsBot: z.boolean(),
  text: z.string().nullable(),
  media: z.array(z.object({ type: z.string(), ref: z.string(), mime: z.string().optional(), size: z.number().optional() })),
  replyTo: z.string().nullable(),
  mentionsBot: z.boolean(),
  timestamp: z.string(),
  /** In words where it depends on what came before. */
  startsTurn: z.union([z.boolean(), z.string()]),
  groupKey: z.string().optional(),
});

/** One request of a platform: exactly the bytes that came over the wire, and headers that are valid for them. */
interface RequestFixture extends WebhookRequest {
  name: string;
  headers: Record<string, string>;
  /** The note's own words: one event, a list of them, or what is no event. */
  expected: unknown;
}

export interface Fixture extends RequestFixture {
  expected: z.infer<typeof expectedSchema>;
}

const ROOT = new URL('./fixtures/', import.meta.url);
const eventSchema = z.object({ kind: expectedSchema.shape.kind });

/** The webhook payloads of one channel, each from `<name>.json` (or `.form`, the wire bytes where they differ) and `<name>.note.md`. */
export function requestsOf(channel: string): RequestFixture[] {
  const folder = new URL(`${channel}/`, ROOT);
  const files = readdirSync(folder);
  const notes = files.filter((file) => file.endsWith('.note.md'));
  return notes.map((note) => {
    const name = note.slice(0, -'.note.md'.length);
    const [headers, expected] = jsonBlocks(readFileSync(new URL(note, folder), 'utf8'));
    const body = readFileSync(new URL(files.includes(`${name}.form`) ? `${name}.form` : `${name}.json`, folder));
    return { ...posted(body, z.record(z.string(), z.string()).parse(headers)), name, expected };
  });
}

/** Those of them that are one event each. */
export function fixturesOf(channel: string): Fixture[] {
  return requestsOf(channel)
    .filter(({ expected }) => eventSchema.safeParse(expected).success)
    .map((fixture) => ({ ...fixture, expected: expectedSchema.parse(fixture.expected) }));
}

/** A request as a platform posts it. */
export function posted(body: Buffer, headers: Record<string, string> = {}) {
  return { method: 'POST' as const, query: {}, body, headers: lowerCase(headers) };
}

function jsonBlocks(note: string): unknown[] {
  return [...note.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
