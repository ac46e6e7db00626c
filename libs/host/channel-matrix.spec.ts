import { expect, test } from 'vitest';
import type { ChannelDescription } from '#channels';
import { CHANNEL_DESCRIPTIONS } from './core.channels.js';

const HEAD = `# Channels and what they can

Written by \`npx vitest run libs/host/channel-matrix.spec.ts -u\` from the channels' own descriptions; the same spec fails when this
page is stale. \`GET /api/channels\` says the same of the accounts that are configured ([http-api.md](http-api.md#channels)), which
may be for less. An agent is offered what its channel can, and told what it can do instead ([message-tool.md](message-tool.md)).
How a channel is written: [channel-adapters.md](channel-adapters.md).
`;

type Row = [what: string, of: (channel: ChannelDescription) => string];

const yes = (can: boolean) => (can ? 'yes' : '–');
const list = (what: readonly string[]) => what.join(', ') || '–';
const UNIT = { utf16: 'UTF-16 units', characters: 'characters', bytes: 'bytes (UTF-8)' };

const ROWS: readonly Row[] = [
  ['Name in URLs and bindings', ({ name }) => `\`${name}\``],
  ['Sends while the turn runs', ({ capabilities }) => yes(capabilities.immediateSend)],
  ['Merges what leaves at its end', ({ capabilities }) => yes(capabilities.batch)],
  ['Drops a repeated send', ({ capabilities }) => yes(capabilities.dedupe)],
  ['Threads', ({ capabilities }) => yes(capabilities.threads)],
  ['Replies to a message', ({ capabilities }) => yes(capabilities.reply)],
  ['Edits', ({ capabilities }) => yes(capabilities.edit)],
  ['Deletes', ({ capabilities }) => yes(capabilities.delete)],
  ['Reacts', ({ capabilities }) => yes(capabilities.react)],
  ['Buttons in a message', ({ capabilities: { buttons } }) => (buttons > 0 ? String(buttons) : '–')],
  ['Media out', ({ capabilities }) => list(capabilities.media)],
  ['Media in', ({ capabilities }) => list(capabilities.mediaIn)],
  ['Shows that an answer is made', ({ capabilities }) => yes(capabilities.typing)],
  ['Text while it is written', ({ capabilities: { stream } }) => (stream === 'none' ? '–' : stream)],
  [
    'Text of one message',
    ({ capabilities: { maxTextLength, lengthUnit } }) => `${maxTextLength.toLocaleString('en')} ${UNIT[lengthUnit]}`,
  ],
  ['A repeated event is known by', ({ dedupeId }) => dedupeId],
  ['Events are sent again for', ({ retryWindowMs }) => duration(retryWindowMs)],
  ['Wants its 2xx within', ({ ackDeadlineMs }) => (ackDeadlineMs === undefined ? '–' : duration(ackDeadlineMs))],
];

function duration(ms: number): string {
  if (ms >= 86_400_000) return `${ms / 86_400_000} d`;
  return ms >= 3_600_000 ? `${ms / 3_600_000} h` : ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

function page(channels: readonly ChannelDescription[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [
    line(['', ...channels.map(({ title }) => title)]),
    line(['---', ...channels.map(() => '---')]),
    ...ROWS.map(([what, of]) => line([what, ...channels.map(of)])),
  ];
  const notes = channels.map(({ title, notes: lines }) => `## ${title}\n\n${lines.map((note) => `- ${note}`).join('\n')}\n`);
  return [HEAD, `${table.join('\n')}\n`, ...notes].join('\n');
}

test('OUT-2 docs/channels.md is what the channels say of themselves', async () => {
  await expect(page(CHANNEL_DESCRIPTIONS)).toMatchFileSnapshot('../../docs/channels.md');
});
