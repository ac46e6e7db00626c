import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import { ConfigSource, loadConfig } from '#config';
import { closeParts, CoreModule, openParts, type AppContext, type RunningApp } from '#host';
import { createLogger } from '#telemetry';
import { startDispatcher } from '../apps/dispatcher/index.js';
import { IngressModule } from '../apps/ingress/index.js';
import { WebchatModule } from '../apps/ingress/webchat/webchat.module.js';
import { startRunner } from '../apps/runner/index.js';
import type { StageModel } from './fakes/stage-model.js';

export const ADMIN_TOKEN = 'admin-token-of-the-test';
export const ANN_TOKEN = 'ann-token-of-the-test';

function contextFor(redisUrl: string, modelUrl = 'http://127.0.0.1:1/v1'): AppContext {
  const env = {
    REDIS_URL: redisUrl,
    OPENAI_BASE_URL: modelUrl,
    TURNPIKE_ADMIN_TOKEN: ADMIN_TOKEN,
    TURNPIKE_CONFIG: new URL('fixtures/webchat.json5', import.meta.url).pathname,
  };
  const source = new ConfigSource(() => loadConfig({ env }));
  const { logger } = createLogger({ level: 'warn', name: 'test' });
  return { source, logger, reload: () => undefined };
}

/** Runner and dispatcher, in this process. */
export async function startWorkers(redisUrl: string, { baseUrl }: StageModel): Promise<RunningApp> {
  const apps = [await startRunner(contextFor(redisUrl, baseUrl)), await startDispatcher(contextFor(redisUrl))];
  return { stop: async (force) => void (await Promise.all(apps.map((app) => app.stop(force)))) };
}

export interface IngressProcess {
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** @param port 0 takes a free one */
export async function startIngress(redisUrl: string, port = 0): Promise<IngressProcess> {
  const parts = await openParts(contextFor(redisUrl), 'ingress');
  const root = { module: class Root {}, imports: [CoreModule.forRoot(parts), IngressModule, WebchatModule] };
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), { bodyParser: false, logger: ['error', 'warn'] });
  app.useWebSocketAdapter(new WsAdapter(app));
  await app.listen(port, '127.0.0.1');
  const url = await app.getUrl();
  return {
    url,
    port: Number(new URL(url).port),
    async stop() {
      await app.close();
      await closeParts(parts);
    },
  };
}
