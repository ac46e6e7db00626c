import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A port in front of a server. While it is shut nobody listens there: connections are refused, so nothing can have been sent. */
export class Doorway {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: number,
    readonly port: number,
    private server: Server | undefined,
  ) {}

  /** Open. @param url of the server behind it */
  static async before(url: string): Promise<Doorway> {
    const doorway = new Doorway(Number(new URL(url).port), await freePort(), undefined);
    await doorway.open();
    return doorway;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    const server = createServer((client) => this.join(client));
    await listening(server, this.port);
    this.server = server;
  }

  async shut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  private join(client: Socket): void {
    const upstream = connect(this.target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => (this.sockets.delete(socket), other.destroy()));
    }
    client.pipe(upstream).pipe(client);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listening(server, 0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
}
