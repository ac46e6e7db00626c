import type { IncomingMessage } from 'node:http';
import { Inject, type OnModuleInit } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { LOGGER } from '#host';
import type { Logger } from '#telemetry';
import { Stopping } from '../http/stopping.js';
import { ChatConnection } from './chat-connection.js';
import { CLOSE } from './chat-frames.schema.js';
import { WebchatService } from './webchat.service.js';

/** 100,000 characters, as JSON writes the longest of them. */
const LARGEST_FRAME_BYTES = 1_048_576;
/** Below the idle time-out of the usual proxies (60 s). */
const BEAT_MS = 25_000;

/** The sockets of the web chat page. Who connects is asked by the first frame: a browser can set no header here. */
@WebSocketGateway({ path: '/ws', maxPayload: LARGEST_FRAME_BYTES })
export class WebchatGateway implements OnGatewayConnection<WebSocket>, OnModuleInit {
  private readonly connections = new Set<ChatConnection>();

  constructor(
    private readonly chat: WebchatService,
    private readonly stopping: Stopping,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const timer = setInterval(() => this.connections.forEach((connection) => connection.beat()), BEAT_MS);
    this.stopping.signal.addEventListener('abort', () => {
      clearInterval(timer);
      for (const connection of this.connections) connection.close(CLOSE.restart, 'this server stops: connect again');
    });
  }

  handleConnection(socket: WebSocket, request: IncomingMessage): void {
    const connection = new ChatConnection(socket, request, this.chat, this.logger);
    this.connections.add(connection);
    socket.on('close', () => this.connections.delete(connection));
  }
}
