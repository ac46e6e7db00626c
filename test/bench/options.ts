import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Of each workload. */
  messages: number;
  /** Of the workload with several messages a session; the other one has a session for each message. */
  sessions: number;
  rounds: number;
  /** Messages per second while latencies are measured. */
  rate: number;
  json: boolean;
  /** A folder for a CPU profile of each process of the full path. */
  profile: string | undefined;
}

const USAGE = `npm run bench -- [--messages 10000] [--sessions 1000] [--rounds 3] [--rate 80] [--json] [--profile <folder>]`;

/** Throws with the usage for anything else. */
export function benchOptions(argv: readonly string[]): BenchOptions {
  const { values } = parse(argv);
  const messages = count('messages', values.messages);
  const sessions = count('sessions', values.sessions);
  if (messages % sessions !== 0) throw new Error(`--messages must be a multiple of --sessions\n${USAGE}`);
  return {
    messages,
    sessions,
    rounds: count('rounds', values.rounds),
    rate: count('rate', values.rate),
    json: values.json,
    profile: values.profile,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        messages: { type: 'string', default: '10000' },
        sessions: { type: 'string', default: '1000' },
        rounds: { type: 'string', default: '3' },
        rate: { type: 'string', default: '80' },
        json: { type: 'boolean', default: false },
        profile: { type: 'string' },
      },
    });
  } catch (error) {
    throw new Error(`${String(error)}\n${USAGE}`, { cause: error });
  }
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1, not "${text}"\n${USAGE}`);
  return value;
}
