import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { TOKEN } from './ingress-world.js';
import { OpenAiWorld } from './openai-world.js';
import { proves } from './proves.js';

let world: OpenAiWorld;
beforeAll(async () => {
  world = await OpenAiWorld.start();
}, 60_000);
afterAll(() => world?.close());

/** The official client. */
async function clientOf(token: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.ingress.url}/mcp`), { requestInit }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const call = (client: Client, name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
  client.callTool({ name, arguments: args });
const dataOf = ({ structuredContent }: CallToolResult) => structuredContent as Record<string, never>;
const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

describe('Turnpike as an MCP server', () => {
  for (const [mode, protocol] of [
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const) {
    proves('TO-11', `over ${protocol}: an agent is invoked, its session is listed, read and written to`, async () => {
      await using client = await clientOf(TOKEN.ann, mode);
      expect(client.getNegotiatedProtocolVersion()).toBe(protocol);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['sessions_list', 'session_history', 'session_send', 'agent_invoke']);
      const session = `mcp-${mode}`;
      const asked = { session, message: `hello over ${protocol}`, idempotencyKey: `key-${mode}` };
      const answer = await call(client, 'agent_invoke', asked);
      expect(answer).toMatchObject({ isError: false, structuredContent: { outcome: 'answered', text: textOf(answer) } });
      expect(textOf(answer)).toContain(`hello over ${protocol}`);
      // The same key is the same message, answered once.
      expect(textOf(await call(client, 'agent_invoke', asked))).toBe(textOf(answer));
      const key = dataOf(answer).session;
      const history = await call(client, 'session_history', { session });
      expect(dataOf(history)).toMatchObject({
        session: key,
        messages: [{ role: 'user' }, { role: 'assistant', text: textOf(answer) }],
      });
      const sent = await call(client, 'session_send', { session, message: 'and this' });
      expect(dataOf(sent)).toMatchObject({ session: key, duplicate: false, messageId: expect.stringMatching(/^m/) as string });
      const listed = dataOf(await call(client, 'sessions_list')) as unknown as { sessions: { session: string }[] };
      expect(listed.sessions.map((one) => one.session)).toContain(key);
    });
  }

  proves(
    ['TO-11', 'IN-6', 'TN-1', 'T10'],
    'a token sees its own tenant, one of a session that session, and nobody enters without',
    async () => {
      for (const authorization of ['', 'Bearer unknown-token-0000']) {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization };
        const response = await fetch(`${world.ingress.url}/mcp`, { method: 'POST', headers, body });
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
      }
      await using ann = await clientOf(TOKEN.ann);
      const hers = dataOf(await call(ann, 'agent_invoke', { session: 'private', message: 'mine' })).session;
      await using other = await clientOf(TOKEN.eve);
      for (const tool of ['session_history', 'session_send', 'agent_invoke']) {
        const refused = await call(other, tool, { session: hers, ...(tool !== 'session_history' && { message: 'hello' }) });
        expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'foreign-session', status: 403 } });
      }
      const listed = dataOf(await call(other, 'sessions_list')) as unknown as { sessions: { tenant: string }[] };
      expect(listed.sessions.every(({ tenant }) => tenant === 'acme')).toBe(true);
      await using desk = await clientOf(TOKEN.desk);
      const own = dataOf(await call(desk, 'sessions_list')) as unknown as { sessions: { conversation: string }[] };
      expect(own.sessions.map(({ conversation }) => conversation)).toEqual(['desk']);
      expect(await call(desk, 'session_history', { session: hers })).toMatchObject({ isError: true });
      const unknown = await call(ann, 'agent_invoke', { agent: 'nobody', message: 'hello' });
      expect(unknown).toMatchObject({ isError: true, structuredContent: { status: 404 } });
    },
  );

  proves('TO-11', 'wrong arguments and sessions that are none are told', async () => {
    await using client = await clientOf(TOKEN.ann);
    const wrong = await call(client, 'session_send', { message: '' }).catch((error: unknown) => ({
      isError: true,
      text: String(error),
    }));
    expect(wrong).toMatchObject({ isError: true });
    const wide = await call(client, 'session_history', { session: 'a b' });
    expect(wide).toMatchObject({ isError: true, structuredContent: { code: 'invalid-session' } });
  });
});
