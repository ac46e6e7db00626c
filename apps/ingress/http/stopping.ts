import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Fires when the process begins to stop: streams end and waiting requests are answered, so that the server can close. */
@Injectable()
export class Stopping implements OnModuleDestroy {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  onModuleDestroy(): void {
    this.controller.abort();
  }
}
