// @ts-check
// An MCP server of 2025-11-25 on stdio, written without any SDK, that misbehaves as its first argument says. The second one is a
// file to which it writes what it sees: `start <pid>`, then each message.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [behaviour = 'good', log = '/dev/null', note = ''] = process.argv.slice(2);
const text = (/** @type {string} */ words) => ({ content: [{ type: 'text', text: words }] });
const tool = (/** @type {string} */ name, annotations = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  annotations,
});
let tools = [
  tool('echo', { readOnlyHint: true }),
  tool('slow'),
  tool('ask'),
  tool('die'),
  tool('grow', { idempotentHint: true }),
];
const asked = new Map();

appendFileSync(log, `start ${process.pid}\n`);
if (behaviour === 'garbage') process.stdout.write('Listening on stdio!\n{"not":"rpc"}\n');
if (behaviour === 'noisy-death') {
  process.stderr.write('API key is missing\n');
  process.exit(1);
}
if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @type {Record<string, (params: any, id: number) => unknown>} */
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'fake', version: note || '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args = {}, _meta }, id) => {
    if (name === 'echo') return text(`${process.pid} ${JSON.stringify(args)}`);
    if (name === 'die') {
      process.stderr.write('out of cheese\n');
      process.exit(7);
    }
    if (name === 'grow') {
      tools = [...tools, tool(`grown_${tools.length}`)];
      send({ method: 'notifications/tools/list_changed' });
      return text('grown');
    }
    if (name === 'wants') {
      asked.set(`wants-${id}`, id);
      send({ id: `wants-${id}`, method: args.method, params: { messages: [], maxTokens: 9 } });
      return undefined;
    }
    if (name === 'flood') return text('x'.repeat(100_000));
    if (name === 'slow') {
      let beats = 0;
      const beat = setInterval(() => {
        const progressToken = _meta?.progressToken;
        beats += 1;
        if (beats > args.n) {
          clearInterval(beat);
          send({ id, result: text('slow, but done') });
        } else send({ method: 'notifications/progress', params: { progressToken, progress: beats } });
      }, 100);
      return undefined;
    }
    const properties = { colour: { type: 'string', enum: ['red', 'blue'] }, count: { type: 'integer', minimum: 1 } };
    const question = { message: 'Which one?', requestedSchema: { type: 'object', properties, required: ['colour'] } };
    asked.set(`ask-${id}`, id);
    send({ id: `ask-${id}`, method: 'elicitation/create', params: question });
    return undefined;
  },
  'server/discover': () => (behaviour === 'old' ? process.exit(1) : undefined),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  appendFileSync(log, `${line}\n`);
  const { id, method, params, result, error } = JSON.parse(line);
  if (behaviour === 'silent') return;
  if (method === undefined) {
    const said = error ? `refused ${error.code}` : `${result.action} ${JSON.stringify(result.content ?? {})}`;
    send({ id: asked.get(id), result: text(said) });
    return;
  }
  if (id === undefined || (method === 'tools/list' && behaviour === 'hangs')) return;
  const answer = methods[method]?.(params ?? {}, id);
  if (answer !== undefined) send({ id, result: answer });
  else if (method !== 'tools/call') send({ id, error: { code: -32601, message: `No method ${method}` } });
});
