import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeError, raceSignal } from '#kernel';
import type { Metrics } from '#telemetry';

/** Resolves = ready; throws why not. */
export type ReadinessCheck = () => void | Promise<void>;

/** Below the usual probe time-out of an orchestrator. */
const CHECK_TIMEOUT_MS = 2000;

/**
 * Health, readiness and metrics on a port of their own, without a login: not to be published.
 * `/healthz` answers while the event loop turns and asks nobody else, so that a Redis outage restarts no process.
 */
export class OpsServer {
  private readonly server: Server;
  private readonly checks = new Map<string, ReadinessCheck>();
  private draining = false;

  constructor(private readonly metrics: Metrics) {
    this.server = createServer((request, response) => {
      const [path = ''] = request.method === 'GET' ? (request.url ?? '').split('?', 1) : [];
      this.answer(path, response).catch((error: unknown) => {
        response.writeHead(500).end(describeError(error));
      });
    });
  }

  addReadiness(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** From now on not ready: no new work is sent here. */
  drain(): void {
    this.draining = true;
  }

  /** Resolves with the port, which matters when 0 was asked for. Rejects when it is taken. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, host, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(path: string, response: ServerResponse): Promise<void> {
    switch (path) {
      case '/healthz':
        return json(response, 200, { status: 'ok' });
      case '/readyz':
        return this.readiness(response);
      case '/metrics':
        response.writeHead(200, { 'content-type': this.metrics.contentType }).end(await this.metrics.text());
        return;
      default:
        return json(response, 404, { error: 'Not found; this port serves GET /healthz, /readyz and /metrics' });
    }
  }

  private async readiness(response: ServerResponse): Promise<void> {
    const results = await Promise.all([...this.checks].map(async ([name, check]) => [name, await resultOf(check)] as const));
    const ready = !this.draining && results.every(([, result]) => result === 'ok');
    json(response, ready ? 200 : 503, { ready, draining: this.draining, checks: Object.fromEntries(results) });
  }
}

async function resultOf(check: ReadinessCheck): Promise<string> {
  try {
    await raceSignal((async () => check())(), AbortSignal.timeout(CHECK_TIMEOUT_MS));
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body));
}
