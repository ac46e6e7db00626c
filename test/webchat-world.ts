import { ConfigSource, loadConfig, type Env } from '#config';
import { closeParts, openParts, type AppContext, type RunningApp } from '#host';
import { createLogger, Redactor } from '#telemetry';
import { startDispatcher } from '../apps/dispatcher/index.js';
import { startIngress as serve } from '../apps/ingress/index.js';
import { startRunner } from '../apps/runner/index.js';
import type { StageModel } from './fakes/stage-model.js';

export const ADMIN_TOKEN = 'admin-token-of-the-test';
export const ANN_TOKEN = 'ann-token-of-the-test';

function contextFor(env: Env): AppContext {
  const file = new URL('fixtures/webchat.json5', import.meta.url).pathname;
  const source = new ConfigSource(() =>
    loadConfig({ file, env: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', TURNPIKE_ADMIN_TOKEN: ADMIN_TOKEN, ...env } }),
  );
  const { logger } = createLogger({ level: 'warn', name: 'test' });
  return { source, logger, redactor: new Redactor(), reload: () => undefined };
}

/** Runner and dispatcher, in this process. */
export async function startWorkers(redisUrl: string, { baseUrl }: Pick<StageModel, 'baseUrl'>): Promise<RunningApp> {
  const context = contextFor({ REDIS_URL: redisUrl, OPENAI_BASE_URL: baseUrl });
  const apps = [await startRunner(context), await startDispatcher(context)];
  return { stop: async (force) => void (await Promise.all(apps.map((app) => app.stop(force)))) };
}

export interface IngressProcess {
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** @param port 0 takes a free one */
export async function startIngress(redisUrl: string, port = 0): Promise<IngressProcess> {
  const parts = await openParts(contextFor({ REDIS_URL: redisUrl, PORT: String(port) }), 'ingress');
  const { url, close } = await serve(parts);
  return {
    url,
    port: Number(new URL(url).port),
    async stop() {
      await close();
      await closeParts(parts);
    },
  };
}
