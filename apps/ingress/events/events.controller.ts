import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NamedSession } from '../access/named-session.js';
import type { SessionPlace } from '../access/session-access.js';
import { LastEventId } from '../http/request-headers.js';
import { Stopping } from '../http/stopping.js';
import { EventReader } from './event-reader.js';
import { SseResponse } from './sse-response.js';

@Controller('api')
export class EventsController {
  constructor(
    private readonly events: EventReader,
    private readonly stopping: Stopping,
  ) {}

  /** Everything a session does from now on, or behind Last-Event-ID. */
  @Get(['events', 'sessions/:key/events'])
  async follow(
    @NamedSession() { key }: SessionPlace,
    @LastEventId() lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventId ?? (await this.events.end(key));
    using response = new SseResponse(reply, this.stopping.signal);
    response.begin(after);
    for await (const { id, event } of this.events.follow(key, after, response.signal)) await response.send(event.type, event, id);
  }
}
