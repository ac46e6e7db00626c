import type { Member } from './harness/fleet.js';

/** The health and metrics port of a member, as it logged it. */
export class OpsOf {
  private readonly url: string;

  constructor({ name, lines }: Member) {
    const port = lines.find(({ msg }) => msg === 'Health, readiness and metrics')?.['port'];
    if (typeof port !== 'number') throw new Error(`${name} has not logged its ops port`);
    this.url = `http://127.0.0.1:${port}`;
  }

  async readiness(): Promise<{ status: number; draining: unknown }> {
    const response = await fetch(`${this.url}/readyz`);
    const { draining } = (await response.json()) as { draining: unknown };
    return { status: response.status, draining };
  }

  /** The exposition text. */
  async metrics(): Promise<string> {
    return (await fetch(`${this.url}/metrics`)).text();
  }

  /** What keeps its event loop alive, by type (`process.getActiveResourcesInfo`). */
  async activeResources(): Promise<Record<string, number>> {
    const found = (await this.metrics()).matchAll(/^turnpike_nodejs_active_resources\{type="(\w+)".*?\} (\d+)$/gm);
    const resources = Object.fromEntries([...found].map(([, type, count]) => [type, Number(count)]));
    // Its connections to Redis at least.
    if (!resources.TCPSocketWrap) throw new Error(`no active resources in the metrics of ${this.url}`);
    return resources;
  }
}
