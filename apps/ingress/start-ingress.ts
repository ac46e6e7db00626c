import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CoreModule, type AppParts } from '#host';
import { tracing } from '#telemetry';
import { Problem } from './http/problem.js';
import { sendProblem } from './http/send-problem.js';
import { traceRequests } from './http/traced-requests.js';
import { announceAccess } from './senders/announce-access.js';
import { IngressModule } from './ingress.module.js';
import { WebchatModule } from './webchat/webchat.module.js';

/** By then every request is answered; who holds a connection open without asking anything would stop the server from closing. */
const ANSWERED_WITHIN_MS = 2000;
/** Then a peer that is gone without a word is looked for, and given up 10 s later: nobody waits for its answers any more. */
const SILENT_FOR_MS = 10_000;
/** A session key is up to 200 characters; the router refuses longer parts of a path. */
const MAX_PARAM_LENGTH = 256;
const MALFORMED = new Problem(400, 'malformed-url', 'The address is malformed, or a part of it is too long.');

export interface RunningIngress {
  url: string;
  /** Ends streams, answers what waits, then closes the server, the modules and the platform. */
  close(): Promise<void>;
}

@Module({})
class IngressApp {}

/**
 * Serves HTTP on config.http.
 * @param modules more to run in this process, on the same core (standalone: runner and dispatcher)
 */
export async function startIngress(parts: AppParts, modules: (Type | DynamicModule)[] = []): Promise<RunningIngress> {
  const { host, port, bodyLimitBytes } = parts.source.current.http;
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    http: { keepAlive: true, keepAliveInitialDelay: SILENT_FOR_MS },
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => void sendProblem(reply, MALFORMED),
  });
  const root = { module: IngressApp, imports: [CoreModule.forRoot(parts), IngressModule, WebchatModule, ...modules] };
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, { bodyParser: false });
  const { server } = adapter.getInstance().addHook('preClose', (done) => {
    setTimeout(() => server.closeAllConnections(), ANSWERED_WITHIN_MS).unref();
    done();
  });
  if (tracing().on) traceRequests(adapter.getInstance());
  app.useWebSocketAdapter(new WsAdapter(app));
  await app.listen(port, host);
  announceAccess(parts.source.current, parts.logger);
  return { url: await app.getUrl(), close: () => app.close() };
}
