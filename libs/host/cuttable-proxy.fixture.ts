import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network in miniature between a client and a local port. */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();
  private refusing = false;
  private readonly server = createServer((client) => {
    if (this.refusing) return void client.destroy();
    const upstream = connect(this.target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    client.pipe(upstream).pipe(client);
  });

  private constructor(private readonly target: number) {}

  static async to(target: number): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Every connection breaks and no new one works. */
  cut(): void {
    this.refusing = true;
    for (const socket of this.sockets) socket.destroy();
  }

  restore(): void {
    this.refusing = false;
  }

  /** The connections of now stay open and carry nothing any more; new ones work. */
  freeze(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
