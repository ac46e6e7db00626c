import OpenAI, { APIError } from 'openai';
import { startModelServer, type ModelScript, type ModelServer, type ModelServerRequest } from './fakes/model-server.js';
import { waitUntil } from './harness/wait-until.js';
import { startIngressWorld, TOKEN, type IngressWorld } from './ingress-world.js';
import { startRedis } from './redis-server.js';
import { startWorkers } from './webchat-world.js';

/** The official client before a real ingress, runner and dispatcher. */
export class OpenAiWorld {
  private constructor(
    /** What the model says in the turn that answers a text, step by step; without a script it tells what it read. */
    readonly scripts: Map<string, ModelScript[]>,
    readonly ingress: IngressWorld,
    readonly model: ModelServer,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<OpenAiWorld> {
    const scripts = new Map<string, ModelScript[]>();
    const [redis, model] = await Promise.all([startRedis(), startModelServer({ answer: (asked) => answer(asked, scripts) })]);
    const acme = { agents: { main: { model: 'scripted/demo' }, helper: { model: 'scripted/demo' } }, defaultAgent: 'main' };
    const ingress = await startIngressWorld(redis.url, { tenants: { acme } });
    const workers = await startWorkers(redis.url, model);
    return new OpenAiWorld(scripts, ingress, model, async () => {
      await ingress.close();
      await workers.stop(AbortSignal.timeout(5000));
      await model.close();
      await redis.stop();
    });
  }

  /** Repeats nothing by itself, unless told to. */
  client(apiKey: string, maxRetries = 0): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${this.ingress.url}/v1`, maxRetries });
  }

  /** Waits until a turn of the session runs. */
  async runs(session: string): Promise<void> {
    const state = () => this.ingress.call('GET', `/api/sessions/${session}`, { token: TOKEN.ann });
    await waitUntil(`a turn of ${session} runs`, state, ({ body }) => body.running != null);
  }
}

function answer({ messages }: ModelServerRequest, scripts: ReadonlyMap<string, ModelScript[]>): ModelScript {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const step = messages.slice(last).filter(({ role }) => role === 'assistant').length;
  const script = scripts.get(String(messages[last]?.content))?.[step];
  const heard = messages.filter(({ role }) => role !== 'system').map(({ role, content }) => [role, content]);
  return script ?? { text: JSON.stringify(heard) };
}

/** The error that a request ends with. */
export async function refused(request: Promise<unknown>): Promise<APIError> {
  const error = await request.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  if (error instanceof APIError) return error;
  throw new Error(`No APIError: ${String(error)}`);
}
