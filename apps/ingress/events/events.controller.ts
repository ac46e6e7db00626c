import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { SessionAccess } from '../access/session-access.js';
import { LastEventId } from '../http/request-headers.js';
import { Stopping } from '../http/stopping.js';
import { EventReader } from './event-reader.js';
import { SseResponse } from './sse-response.js';

@Controller('api')
export class EventsController {
  constructor(
    private readonly access: SessionAccess,
    private readonly events: EventReader,
    private readonly stopping: Stopping,
  ) {}

  /** Everything a session does from now on, or behind Last-Event-ID. */
  @Get(['events', 'sessions/:key/events'])
  async follow(
    @FromCaller() caller: Caller,
    @Param('key') named: string | undefined,
    @LastEventId() lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { key } = this.access.resolve(caller, named);
    const after = lastEventId ?? (await this.events.end(key));
    using response = new SseResponse(reply, this.stopping.signal);
    response.begin(after);
    for await (const { id, event } of this.events.follow(key, after, response.signal)) await response.send(event.type, event, id);
  }
}
