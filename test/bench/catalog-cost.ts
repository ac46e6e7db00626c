import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hooks, type Tool } from '#agent';
import { loadConfig, toolRules, type Config } from '#config';
import { PluginHost } from '#plugins';
import { createLogger } from '#telemetry';
import { LiveCatalog, VisibleTools, type CatalogTool, type ToolCatalog, type ToolSource } from '#tools';

/** What the catalog costs, inside the process. */
export interface CatalogCost {
  /** µs a turn, at a version that does not change. */
  lookupUs: number;
  /** µs a turn, for which of them a sender has under a policy. */
  policyUs: number;
  /** ms once for each version and each set of rules. */
  decideMs: number;
  /** ms once for each version. */
  buildMs: number;
  /** How often the catalog was built for all those turns. */
  builds: number;
  /** ms for discovery, import and registration at the start of a process. */
  registerMs: number;
  registered: number;
}

const TOOLS = 500;
const TURNS = 10_000;
const PLUGINS = 10;
const TOOLS_EACH = 100;
const ROUNDS = 5;

export async function measureCatalog(): Promise<CatalogCost> {
  let builds = 0;
  const live = new LiveCatalog([source(TOOLS)], { built: () => (builds += 1) });
  const began = performance.now();
  await live.at(1);
  const built = performance.now();
  for (let turn = 0; turn < TURNS; turn++) await live.at(1);
  const lookupUs = ((performance.now() - built) * 1000) / TURNS;
  const { policyUs, decideMs } = decide(await live.at(1));
  const rounds: { ms: number; tools: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await register());
  const { ms, tools } = rounds.toSorted((one, other) => one.ms - other.ms)[ROUNDS >> 1] ?? { ms: Number.NaN, tools: 0 };
  return { lookupUs, policyUs, decideMs, buildMs: built - began, builds, registerMs: ms, registered: tools };
}

/** As apps/runner/turn-tools.ts asks at the beginning of a turn. */
function decide(catalog: ToolCatalog): { policyUs: number; decideMs: number } {
  const deny = Array.from({ length: 20 }, (_, n) => `tool_*${n}7`);
  const config = loadConfigOf({
    tools: { profile: 'full', deny, bySender: { '*': { deny } } },
    agents: { main: { tools: { allow: ['tool_*'] } } },
  });
  const user = { tenant: 'default', agent: 'main', channel: 'webchat', account: 'default', models: [], isSubagent: false };
  const visible = new VisibleTools();
  const turn = (n: number) => visible.of({ catalog, config }, toolRules(config, { ...user, senders: [`webchat:${n}`] }), false);
  const began = performance.now();
  turn(0);
  const decided = performance.now();
  for (let n = 0; n < TURNS; n++) turn(n);
  return { decideMs: decided - began, policyUs: ((performance.now() - decided) * 1000) / TURNS };
}

function loadConfigOf(options: object): Config {
  const root = mkdtempSync(join(tmpdir(), 'turnpike-bench-'));
  const file = join(root, 'turnpike.json5');
  writeFileSync(file, JSON.stringify(options));
  const config = loadConfig({ file, env: {}, standalone: true });
  rmSync(root, { recursive: true });
  return config;
}

function source(count: number): ToolSource {
  const tools = Array.from({ length: count }, (_, n): CatalogTool => {
    const tool: Tool = {
      name: `tool_${n}`,
      description: 'One of many.',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      effect: 'pure',
      execute: async () => ({ text: '', isError: false }),
    };
    return { tool, origin: { kind: 'plugin', plugin: `p${n % 10}` } };
  });
  return { kind: 'plugin', tools: () => tools, onChange: () => () => undefined };
}

/** Folders of their own each time: a module is imported once in a process. */
async function register(): Promise<{ ms: number; tools: number }> {
  const root = mkdtempSync(join(tmpdir(), 'turnpike-bench-'));
  for (let n = 0; n < PLUGINS; n++) writePlugin(join(root, `p${n}`), `p${n}`);
  const settings = { enabled: true, directory: root, load: { paths: [], packages: [] }, entries: {}, slots: {} };
  const unused = () => Promise.reject(new Error('Nothing of this measurement asks for it'));
  const host = new PluginHost(() => settings, {
    logger: createLogger({ level: 'silent', name: 'bench' }).logger,
    hooks: new Hooks(),
    storage: () => ({ get: unused, set: unused, delete: unused, keys: unused }),
    complete: unused,
  });
  const began = performance.now();
  await host.refresh();
  const ms = performance.now() - began;
  const tools = host.tools().length;
  await host.close();
  rmSync(root, { recursive: true });
  return { ms, tools };
}

function writePlugin(folder: string, id: string): void {
  const names = Array.from({ length: TOOLS_EACH }, (_, n) => `${id}_tool_${n}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'turnpike.plugin.json'), JSON.stringify({ id, contracts: { tools: names } }));
  writeFileSync(
    join(folder, 'index.mjs'),
    `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
export default defineToolPlugin({ id: '${id}', name: '${id}', description: '', tools: (tool) => ${JSON.stringify(names)}.map((name) =>
  tool({ name, description: 'One of many.', parameters: Type.Object({ text: Type.String(), count: Type.Optional(Type.Integer()) }), execute: ({ text }) => text })) });`,
  );
}
