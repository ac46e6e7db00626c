import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpWorld, published } from '../mcp-world.js';
import { percentiles } from './percentiles.js';

/** ms */
interface CallTimes {
  /** From nothing: the program starts, shakes hands, and answers. */
  first: number;
  warmP50: number;
  warmP99: number;
}

export interface McpFigures {
  calls: number;
  /** The official SDK alone. */
  bare: CallTimes;
  /** As an agent calls the tool. */
  tool: CallTimes;
}

const ROUNDS = 5;
const CALLS = 1000;
const server = published('everything', 'stdio');

/** Both in turn, so that whatever else the machine does meets both. */
export async function measureMcp(): Promise<McpFigures> {
  const [bare, tool] = [new Times(), new Times()];
  for (let round = 0; round < ROUNDS; round += 1) {
    await bareRound(bare);
    await toolRound(tool);
  }
  return { calls: ROUNDS * CALLS, bare: bare.summary, tool: tool.summary };
}

class Times {
  readonly first: number[] = [];
  readonly warm: number[] = [];

  async measure(call: () => Promise<unknown>): Promise<void> {
    this.first.push(await timed(call));
    for (let n = 0; n < CALLS; n += 1) this.warm.push(await timed(call));
  }

  get summary(): CallTimes {
    const { p50, p99 } = percentiles(this.warm);
    return { first: percentiles(this.first).p50, warmP50: p50, warmP99: p99 };
  }
}

async function bareRound(times: Times): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({ ...server, stderr: 'ignore' });
  let connected: Promise<void> | undefined;
  await times.measure(async () => {
    await (connected ??= client.connect(transport));
    await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
  });
  await client.close();
}

async function toolRound(times: Times): Promise<void> {
  await using world = new McpWorld({ bench: { ...server, tools: ['echo'] } });
  await times.measure(() => world.call('mcp_bench_echo', { message: 'hello' }));
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await call();
  return performance.now() - before;
}
