import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';

/**
 * Fires when the process begins to stop: streams end and waiting requests are answered, so that the server can close.
 * Connections that were busy then are not kept alive: the server would wait for them.
 */
@Injectable()
export class Stopping implements OnModuleInit, OnModuleDestroy {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onSend', async (_request, reply) => {
      if (this.signal.aborted) void reply.header('connection', 'close');
    });
  }

  onModuleDestroy(): void {
    this.controller.abort();
  }
}
