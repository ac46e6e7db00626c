import { startScriptedServer, type ReceivedRequest } from './scripted-server.js';

export interface EchoServer {
  url: string;
  requests: ReceivedRequest[];
  close(): Promise<void>;
}

/**
 * The rudest other side there is: refuses every request and quotes all of it, address, headers and body, wherever a platform, a
 * provider or a server puts the words of an error. A path that begins with /<status>/ is answered that status, others 400.
 */
export async function startEchoServer(): Promise<EchoServer> {
  const requests: ReceivedRequest[] = [];
  const { url, close } = await startScriptedServer({
    record(request) {
      requests.push(request);
      return () => undefined;
    },
    answer({ method, path, headers, body }) {
      const quoted = `${method} ${path} ${decodeURIComponent(path)} ${JSON.stringify(headers)} ${body}`;
      const status = Number(/^\/(\d{3})\//.exec(path)?.[1] ?? 400);
      const isSlack = path.includes('chat.');
      const error = isSlack ? quoted : { message: quoted, type: quoted, code: quoted, status: quoted };
      const answer = { ok: false, error_code: status, description: quoted, error, message: quoted, msg: quoted, code: 1 };
      return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
    },
  });
  return { url, requests, close };
}
