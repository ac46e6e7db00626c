import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLogger, LOG_LINES, TurnLog } from './index.js';

const page = readFileSync(new URL('../../docs/logs.md', import.meta.url), 'utf8');
const ofTurn = { turnId: 'm1~0', session: 'default.main.webchat.default.direct.bob', tenant: 'default' };
const ofMessage = { ...ofTurn, deliveryMode: 'immediate', sequenceInTurn: 2, text: 'private words' } as const;

function written(content: boolean): Record<string, unknown>[] {
  const lines: string[] = [];
  const { logger } = createLogger({ level: 'info', name: 'runner', destination: { write: (line) => lines.push(line) } });
  const log = new TurnLog(logger, { content });
  log.turnStarted({ ...ofTurn, agent: 'main', messageIds: ['m1'], attempt: 1, text: 'private words' });
  log.toolCall({
    ...ofTurn,
    tool: 'message',
    callId: 'c1',
    durationMs: 3,
    isError: false,
    arguments: '{"text":"private words"}',
  });
  log.messageQueued(ofMessage);
  log.messageDelivered({ ...ofMessage, channel: 'webchat', deliveredAt: 5, platformIds: ['9'], possibleDuplicate: false });
  log.messageFellBack({ ...ofMessage, deliveryMode: 'batched', error: 'refused' });
  log.turnEnded({ ...ofTurn, outcome: 'answered', durationMs: 9, steps: 1, immediateCount: 1, batchedCount: 1 });
  return lines.map((line) => JSON.parse(line));
}

test('OUT-4 the six stable lines carry the ids and counts they promise', () => {
  const lines = written(false);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'Turn started',
    'Tool call',
    'Message queued',
    'Message delivered',
    'Message fell back to batch',
    'Turn ended',
  ]);
  expect(lines.map(({ msg }) => msg)).toEqual(Object.values(LOG_LINES));
  for (const line of lines) expect(line).toMatchObject(ofTurn);
  for (const line of lines.slice(2, 5)) expect(line).toMatchObject({ sequenceInTurn: 2, deliveryMode: expect.any(String) });
  expect(lines[3]).toMatchObject({ deliveredAt: 5 });
  expect(lines[4]).toMatchObject({ fellBackToBatch: true, level: 'warn' });
  expect(lines[5]).toMatchObject({ immediateCount: 1, batchedCount: 1, outcome: 'answered' });
});

test('OUT-4 what people wrote is logged only by opt-in', () => {
  expect(JSON.stringify(written(false))).not.toContain('private words');
  expect(JSON.stringify(written(true)).match(/private words/g)).toHaveLength(5);
});

test('OUT-4 docs/logs.md documents every line and every field of it', () => {
  const fields = new Set(written(true).flatMap(Object.keys));
  const wanted = [...Object.values(LOG_LINES), ...fields];
  expect(wanted.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
