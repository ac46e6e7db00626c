import { Module } from '@nestjs/common';
import { ConversationActivation } from './conversation-activation.js';
import { DeliveryService } from './delivery.service.js';
import { DeliveryWorker } from './delivery.worker.js';

/** Brings outbox rows to their channels. Needs CoreModule. */
@Module({ providers: [DeliveryService, ConversationActivation, DeliveryWorker] })
export class DispatcherModule {}
