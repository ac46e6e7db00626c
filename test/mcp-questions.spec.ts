import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import type { ToolResult } from '#agent';
import { McpModernServer } from './fakes/mcp-modern-server.js';
import { McpWorld } from './mcp-world.js';
import { proves } from './proves.js';

const program = fileURLToPath(new URL('fakes/mcp-program.fixture.mjs', import.meta.url));
const asking = { command: process.execPath, args: [program], tools: ['ask', 'echo'] };

/** What the runner does with an answer: the call runs anew, on whichever runner. */
function answered({ asks }: ToolResult, text: string): { answered: { resume: string; text: string } } {
  return { answered: { resume: asks?.resume ?? '', text } };
}

describe('a server that asks a person', () => {
  proves(
    ['TO-4', 'TU-7'],
    'of the older revision: field by field, what it does not take is asked again, another runner goes on',
    async () => {
      await using world = new McpWorld({ fake: asking });
      const colour = await world.call('mcp_fake_ask');
      expect(colour).toMatchObject({
        text: 'The MCP server "fake" asks: Which one?\ncolour (one of: red, blue; "decline" to refuse)',
        asks: { choices: ['red', 'blue', 'decline'] },
      });
      const again = await world.call('mcp_fake_ask', {}, answered(colour, 'green'));
      expect(again.text).toMatch(/^"green" is not what it takes\.\n.*Which one\?/);
      const count = await world.call('mcp_fake_ask', {}, answered(again, 'Blue'));
      expect(count).toMatchObject({ text: expect.stringContaining('count ("skip" to leave it out; "decline" to refuse)') });
      await using other = new McpWorld({ fake: asking });
      const done = await other.call('mcp_fake_ask', {}, answered(count, '3'));
      expect(done).toEqual({ text: 'accept {"colour":"blue","count":3}', isError: false });
      const skipped = await other.call('mcp_fake_ask', {}, answered(count, 'skip'));
      expect(skipped.text).toBe('accept {"colour":"blue"}');
      expect((await other.call('mcp_fake_ask', {}, answered(colour, 'Decline'))).text).toBe('decline {}');
    },
  );

  proves(
    'TO-4',
    'that does not say who is asked, while several call it, is answered for nobody; then calls take turns',
    async () => {
      await using world = new McpWorld({ fake: asking });
      await world.call('mcp_fake_echo');
      const together = await Promise.all([1, 2].map(() => world.call('mcp_fake_ask')));
      expect(together.map(({ text }) => text)).not.toContain('accept {}');
      const inTurn = await Promise.all([1, 2, 3].map(() => world.call('mcp_fake_ask')));
      expect(inTurn.map(({ asks }) => asks?.choices)).toEqual(Array(3).fill(['red', 'blue', 'decline']));
    },
  );

  proves(['TO-4', 'TU-7'], 'of the newer revision: its state goes back to it, from any runner, and it acts once', async () => {
    await using server = await McpModernServer.start();
    const modern = { url: server.url, tools: ['paint'] };
    await using world = new McpWorld({ modern });
    const question = await world.call('mcp_modern_paint', { what: 'the door' });
    expect(question).toMatchObject({
      text: expect.stringContaining('The MCP server "modern" asks: Which colour for the door?'),
      asks: { choices: ['red', 'blue', 'decline'] },
    });
    await using other = new McpWorld({ modern });
    const done = await other.call('mcp_modern_paint', { what: 'the door' }, answered(question, 'red'));
    expect(done).toEqual({ text: 'the door is red', isError: false });
    expect([server.painted, server.states]).toEqual([['the door red'], ['state of the door']]);
    await other.source.start(0);
    expect(other.fleet.lists.get('modern')?.protocol).toBe('2026-07-28');
  });
});

describe('a server that asks for what is not offered to it', () => {
  proves('TO-4', 'of the older revision: sampling and roots are no methods here, and its call goes on', async () => {
    await using world = new McpWorld({ fake: { ...asking, tools: ['wants', 'echo'] } });
    const wanted = ['sampling/createMessage', 'roots/list'].map((method) => world.call('mcp_fake_wants', { method }));
    expect(await Promise.all(wanted)).toEqual(Array(2).fill({ text: 'refused -32601', isError: false }));
    expect(await world.call('mcp_fake_echo')).toMatchObject({ isError: false });
  });

  proves('TO-4', 'of the newer revision: nobody is asked, the model is told, and its other calls go on', async () => {
    await using server = await McpModernServer.start();
    server.further.push('sample', 'roots', 'rude', 'idle');
    await using world = new McpWorld({ modern: { url: server.url, tools: ['sample', 'roots', 'rude', 'idle'] } });
    for (const name of ['mcp_modern_sample', 'mcp_modern_roots'])
      expect(await world.call(name)).toEqual({
        text: expect.stringMatching(/Cannot request input 'it' .* do not declare the required capability/),
        isError: true,
      });
    for (let call = 1; call <= 4; call += 1)
      expect(await world.call('mcp_modern_rude')).toEqual({
        text: 'The server modern asks for something no person is asked here.',
        isError: true,
      });
    expect(await world.call('mcp_modern_idle')).toEqual({ text: 'idle', isError: false });
  });
});
