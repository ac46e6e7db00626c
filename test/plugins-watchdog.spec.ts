import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatWorld, generic, type Said } from './chat-world.js';
import type { ModelScript } from './fakes/model-server.js';
import type { Member } from './harness/fleet.js';
import { pluginFolder } from './plugin-folder.js';

/** A plugin whose tool does `what` in the middle of its work. */
const doing = (id: string, what: string, more = ''): string => `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
export default defineToolPlugin({ id: '${id}', name: '${id}', description: 'A plugin of a test.', tools: (tool) => [tool({
  name: '${id}_tool', description: 'Does harm.', parameters: Type.Object({}), effect: 'idempotent',
  async execute() { await new Promise((resolve) => setTimeout(resolve, 10)); ${what}; return 'survived'; },
})] });
${more}`;
const tools = (id: string) => ({ contracts: { tools: [`${id}_tool`] } });

const root = pluginFolder({
  blocks: { manifest: tools('blocks'), code: doing('blocks', 'for (;;);') },
  exits: { manifest: tools('exits'), code: doing('exits', 'process.exit(0)') },
  throws: {
    manifest: tools('throws'),
    code: doing('throws', `setTimeout(() => { throw new Error('in a timer'); }); await new Promise(() => {})`),
  },
  good: { manifest: tools('good'), code: doing('good', '') },
  rejects: { manifest: tools('rejects'), code: doing('rejects', `void Promise.reject(new Error('left alone'))`) },
});

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.start({
    runners: 0,
    config: {
      plugins: { blockedMs: 1500, load: { paths: [root] } },
      lanes: { lockMs: 2000, stalledCheckMs: 500, crashesAllowed: 9, deliveries: { requestTimeoutMs: 900 } },
    },
  });
}, 90_000);
afterAll(() => world?.close());

/** As a supervisor does: a runner that ends is started again, until the turn has its end. @returns how the others ended */
async function supervised(said: Said): Promise<string[]> {
  const ended = world.ended(said).then(() => undefined);
  const ends: string[] = [];
  for (;;) {
    const [runner] = (await world.fleet.start('runner')) as [Member];
    const exit = await Promise.race([ended, runner.exited]);
    if (!exit) {
      world.fleet.kill(runner);
      await runner.exited;
      return ends;
    }
    ends.push(String(exit.signal ?? exit.code));
  }
}

const says = (tool: string): ModelScript => ({ toolCalls: [{ name: tool, arguments: {} }] });
const shownTo = (text: string): string[] => (world.asked(text).at(-1)?.body.tools ?? []).map((tool) => tool.function.name);

describe('plugins that end their process or hold it up', () => {
  test.each([
    ['exits', '0'],
    ['blocks', 'SIGKILL'],
    ['throws', '1'],
  ])('TO-3 %s: it is left out after three times; its turn goes on without it, and so do the others', async (plugin, end) => {
    const tool = `${plugin}_tool`;
    const said = await world.say(generic('dedupe', plugin), plugin, [says(tool), says('rejects_tool'), says('good_tool')]);
    expect(await supervised(said)).toEqual([end, end, end]);
    const { messages, outcome } = await world.ended(said);
    const results = messages.flatMap((message) => (message.role === 'tool' ? [[message.name, message.text]] : []));
    expect(outcome).toBe('answered');
    expect(results).toEqual([
      [tool, expect.stringMatching(/outcome|unknown|no tool/i)],
      ['rejects_tool', 'survived'],
      ['good_tool', 'survived'],
    ]);
    expect(shownTo(plugin)).toEqual(expect.arrayContaining(['good_tool', 'rejects_tool']));
    expect(shownTo(plugin)).not.toContain(tool);
  });
});
