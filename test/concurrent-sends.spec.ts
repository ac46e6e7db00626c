import { afterAll, beforeAll, expect } from 'vitest';
import type { SessionKey } from '#kernel';
import { ChatWorld } from './chat-world.js';
import type { Member } from './harness/fleet.js';
import { proves } from './proves.js';
import { SseClient, type SseEvent } from './sse-client.js';

const REPETITIONS = 40;
const TOKEN = 'test-admin-token-0000';

let world: ChatWorld;
let ingress: Member[];
beforeAll(async () => {
  world = await ChatWorld.start({ runners: 2 });
  ingress = await world.fleet.start('ingress', 2);
}, 90_000);
afterAll(() => world?.close());

interface Sent {
  text: string;
  events: SseEvent[];
  /** Place in the order of acceptance. */
  sequence: number;
}

async function send({ url }: Member, session: string, text: string): Promise<Sent> {
  const headers = { 'idempotency-key': text };
  const body = { message: text };
  const client = await SseClient.open(`${url}/api/sessions/${session}/invoke`, TOKEN, { body, headers });
  const events = await client.until('done');
  // The same request again tells where it was stored.
  const repeat = await fetch(`${url}/api/sessions/${session}/messages`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { sequence, duplicate } = (await repeat.json()) as { sequence: number; duplicate: boolean };
  expect(duplicate).toBe(true);
  return { text, events, sequence };
}

/** All events of a session so far, by type and turn. */
async function boundaries(session: SessionKey, turns: number): Promise<string[]> {
  const found: string[] = [];
  const stop = new AbortController();
  for await (const { event } of world.platform.events.follow(session, '0-0', stop.signal)) {
    if (event.type !== 'turn.start' && event.type !== 'turn.end') continue;
    found.push(`${event.type} ${event.turn}`);
    if (found.length === 2 * turns) break;
  }
  stop.abort();
  return found;
}

proves(
  ['B016', 'G2'],
  `two clients in the same instant through two ingress, ${REPETITIONS} times: one turn after the other, each stream its own, in the order of acceptance`,
  async () => {
    for (let n = 0; n < REPETITIONS; n++) {
      const texts = [`left ${n}`, `right ${n}`];
      // Long enough for the other one to meet it in the middle.
      for (const text of texts) world.script(text, [{ text: `the answer to ${text}`, chunkDelayMs: 10 }]);
      const sent = await Promise.all(ingress.map((member, side) => send(member, `pair-${n}`, texts[side] ?? '')));
      const [first, second] = sent.toSorted((one, other) => one.sequence - other.sequence);
      if (!first || !second) throw new Error('two were sent');
      expect([first.sequence, second.sequence]).toEqual([1, 2]);

      const turns = [first, second].map(({ text, events }) => {
        const done = events.at(-1)?.data ?? {};
        expect(done).toMatchObject({ outcome: 'answered', text: `the answer to ${text}` });
        expect(done).not.toHaveProperty('mergedInto');
        expect(new Set(events.slice(0, -1).map(({ data }) => data.turn))).toEqual(new Set([done.turnId]));
        return String(done.turnId);
      });
      const key = `default.main.webchat.default.direct.pair-${n}` as SessionKey;
      expect(await boundaries(key, 2)).toEqual(turns.flatMap((turn) => [`turn.start ${turn}`, `turn.end ${turn}`]));
      // The second was asked with the first one's answer before it: it began when that was stored.
      expect([first, second].map(({ text }) => world.asked(text).length)).toEqual([1, 1]);
      expect(JSON.stringify(world.asked(second.text)[0]?.body.messages)).toContain(`the answer to ${first.text}`);
    }
  },
);
