import { backoffMs, delay } from '#kernel';
import type { z } from 'zod';
import {
  acceptedSchema,
  answeredSchema,
  deadLettersSchema,
  foundLetterSchema,
  pairedSchema,
  pairingsSchema,
  problemSchema,
  replayedSchema,
  shownToolsSchema,
  type AcceptedMessage,
  type AnsweredMessage,
  type DeadLetterPage,
  type FoundLetter,
  type PairedSender,
  type PairingList,
  type ReplayedLetter,
  type ShownTools,
} from './api.schema.js';
import { CliError, EXIT } from './cli-error.js';
import type { Deployment } from './deployment.js';

export interface NewMessage {
  text: string;
  /** The same key again is the same message: that makes trying again safe. */
  idempotencyKey: string;
}

/** Of whom the tools are asked for. */
export interface ToolsQuestion {
  tenant?: string;
  agent?: string;
  channel?: string;
  account?: string;
  sender?: string;
  model?: string;
  surface?: string;
  /** Only this one, with every rule about it. */
  tool?: string;
}
interface Request {
  path: string;
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
  body?: unknown;
}

/** About 15 s: longer than a restart, shorter than patience. */
const MOST_TRIES = 6;

/** One session of one deployment, over its HTTP API. Everything throws CliError. */
export class ApiClient {
  constructor(
    private readonly deployment: Deployment,
    private readonly session: string | undefined,
    /** Tries of a request that may be repeated. */
    private readonly tries: number = MOST_TRIES,
  ) {}

  /** Resolves when the message is stored for good. */
  async send(message: NewMessage, signal?: AbortSignal): Promise<AcceptedMessage> {
    return this.read(acceptedSchema, await this.persist(this.post('messages', message), signal));
  }

  /** Resolves with the answer. A connection that breaks meanwhile is taken up again: the message is not sent twice. */
  async invoke(message: NewMessage, signal?: AbortSignal): Promise<AnsweredMessage> {
    return this.read(answeredSchema, await this.persist(this.post('invoke', message), signal));
  }

  /** Stops the turn that runs, if one does. */
  async stop(): Promise<void> {
    const response = await this.request({ path: 'turns/current', method: 'DELETE' });
    await response.body?.cancel();
  }

  /** Who asks to be heard in a tenant, and who was approved. */
  async pairings(tenant?: string): Promise<PairingList> {
    return this.read(pairingsSchema, await this.persist({ path: `pairing${ofTenant(tenant)}` }));
  }

  async approvePairing(code: string, tenant?: string): Promise<PairedSender> {
    const request = { path: `pairing/approve${ofTenant(tenant)}`, method: 'POST' as const, body: { code } };
    return this.read(pairedSchema, await this.persist(request));
  }

  async revokePairing({ channel, account, sender }: Omit<PairedSender, 'name'>, tenant?: string): Promise<void> {
    const path = [channel, account, sender].map((part) => encodeURIComponent(String(part))).join('/');
    await this.request({ path: `pairing/${path}${ofTenant(tenant)}`, method: 'DELETE' });
  }

  /** Messages that were given up, newest first. @param before `next` of the page before */
  async deadLetters(before?: number, tenant?: string): Promise<DeadLetterPage> {
    const query = new URLSearchParams({
      ...(tenant !== undefined && { tenant }),
      ...(before !== undefined && { before: `${before}` }),
    });
    return this.read(deadLettersSchema, await this.persist({ path: `dead-letters?${query.toString()}` }));
  }

  async tools(question: ToolsQuestion): Promise<ShownTools> {
    const query = new URLSearchParams({ ...question });
    return this.read(shownToolsSchema, await this.persist({ path: `tools?${query.toString()}` }));
  }

  async deadLetter(id: string, tenant?: string): Promise<FoundLetter> {
    return this.read(
      foundLetterSchema,
      await this.persist({ path: `dead-letters/${encodeURIComponent(id)}${ofTenant(tenant)}` }),
    );
  }

  /** Asking again is safe: it is sent once. */
  async replay(id: string, tenant?: string): Promise<ReplayedLetter> {
    const path = `dead-letters/${encodeURIComponent(id)}/replay${ofTenant(tenant)}`;
    return this.read(replayedSchema, await this.persist({ path, method: 'POST' }));
  }

  /** An open stream of the session's events. @param after cursor of the last event seen */
  async events(after: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) };
    return this.request({ path: 'events', headers }, signal);
  }

  private post(path: string, { text, idempotencyKey }: NewMessage): Request {
    return { path, method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: { message: text } };
  }

  private async persist(request: Request, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.request(request, signal);
        return await response.json();
      } catch (error) {
        const failure = error instanceof CliError ? error : this.unreachable(error);
        if (failure.exitCode !== EXIT.unavailable || attempt >= this.tries || signal?.aborted) throw failure;
        await delay(backoffMs(attempt), signal);
      }
    }
  }

  private async request({ path, method = 'GET', headers = {}, body }: Request, signal?: AbortSignal): Promise<Response> {
    const { url, token } = this.deployment;
    const response = await fetch(new URL(`${this.sessionPath()}/${path}`, url), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : this.unreachable(error);
    });
    if (!response.ok) throw await this.refusal(response);
    return response;
  }

  private sessionPath(): string {
    return this.session === undefined ? 'api' : `api/sessions/${encodeURIComponent(this.session)}`;
  }

  private read<T>(schema: z.ZodType<T>, answer: unknown): T {
    const read = schema.safeParse(answer);
    if (read.success) return read.data;
    throw new CliError(
      EXIT.error,
      `${this.deployment.url.href} does not answer like Turnpike. Check the address (--url or TURNPIKE_URL).`,
    );
  }

  private unreachable(cause: unknown): CliError {
    const { href } = this.deployment.url;
    return new CliError(
      EXIT.unavailable,
      `Nothing answers at ${href}. Start Turnpike there (npm start), or give another address with --url or TURNPIKE_URL.`,
      {
        cause,
      },
    );
  }

  private async refusal(response: Response): Promise<CliError> {
    const { status } = response;
    const problem = problemSchema.safeParse(await response.json().catch(() => undefined)).data;
    const said = problem?.detail ?? problem?.title ?? `HTTP ${status}`;
    switch (status) {
      case 401:
        return new CliError(
          EXIT.auth,
          `The token is not accepted by ${this.deployment.url.href}. Give another with --token or TURNPIKE_TOKEN.`,
        );
      case 403:
        return new CliError(EXIT.auth, said);
      case 409:
        // The server still holds the place of a connection of ours that broke.
        return new CliError(problem?.type?.endsWith(':in-flight') ? EXIT.unavailable : EXIT.error, said);
      case 429:
      case 502:
      case 503:
      case 504:
        return new CliError(EXIT.unavailable, `${said} (HTTP ${status})`);
      default:
        return new CliError(EXIT.error, said);
    }
  }
}

function ofTenant(tenant: string | undefined): string {
  return tenant === undefined ? '' : `?tenant=${encodeURIComponent(tenant)}`;
}
