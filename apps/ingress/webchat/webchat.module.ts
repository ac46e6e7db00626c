import { Module } from '@nestjs/common';
import { IngressModule } from '../ingress.module.js';
import { PageController } from './page.controller.js';
import { WebchatGateway } from './webchat.gateway.js';
import { WebchatService } from './webchat.service.js';

/** The chat page at `/` and its sockets at `/ws`. The app needs the WsAdapter of @nestjs/platform-ws. */
@Module({ imports: [IngressModule], controllers: [PageController], providers: [WebchatService, WebchatGateway] })
export class WebchatModule {}
