import { ClientRedis } from '@nestjs/microservices';
import { CONTROL, type CancelHint } from '#contracts';
import { describeError } from '#kernel';
import type { Logger } from '#telemetry';
import { controlOptions, type Link } from './control-options.js';

/**
 * Tells the other processes something at once. Best effort: it never throws and never makes the caller wait;
 * who must be sure also writes it where `begin` and `step` read it (protocol 5).
 */
export class ControlPublisher {
  private readonly client: ClientRedis;

  constructor(
    redisUrl: string,
    private readonly logger: Logger,
  ) {
    this.client = new ClientRedis(controlOptions(redisUrl));
  }

  /** Stop a turn, running or queued. */
  cancel(hint: CancelHint): void {
    this.emit(CONTROL.cancel, hint);
  }

  configChanged(): void {
    this.emit(CONTROL.configChanged, {});
  }

  catalogChanged(): void {
    this.emit(CONTROL.catalogChanged, {});
  }

  async close(): Promise<void> {
    const links = linksOf(this.client);
    // close() waits for QUIT, which never comes back from a Redis that is away.
    const closing = this.client.close().catch(() => undefined);
    for (const link of links) link.disconnect();
    await closing;
  }

  private emit(pattern: string, hint: object): void {
    this.client.emit(pattern, hint).subscribe({
      error: (error: unknown) => this.logger.debug({ pattern, error: describeError(error) }, 'Control message not sent'),
    });
  }
}

/** Empty while the client has opened nothing, which the transport reports by throwing. */
function linksOf(client: ClientRedis): Link[] {
  try {
    return client.unwrap<Link[]>();
  } catch {
    return [];
  }
}
