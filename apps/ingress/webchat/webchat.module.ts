import { Module } from '@nestjs/common';
import { Platform } from '#host';
import { RequestLimiter } from '#limits';
import { RedisCalls } from '../http/redis-calls.js';
import { IngressModule } from '../ingress.module.js';
import { PageController } from './page.controller.js';
import { WebchatGateway } from './webchat.gateway.js';
import { WebchatService } from './webchat.service.js';

const limiter = {
  provide: RequestLimiter,
  inject: [Platform],
  useFactory: ({ request, keyspace }: Platform) => new RequestLimiter(request, keyspace),
};

/** The chat page at `/` and its sockets at `/ws`. The app needs the WsAdapter of @nestjs/platform-ws. */
@Module({
  imports: [IngressModule],
  controllers: [PageController],
  providers: [RedisCalls, limiter, WebchatService, WebchatGateway],
})
export class WebchatModule {}
