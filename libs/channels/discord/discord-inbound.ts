import type { KeyObject } from 'node:crypto';
import { InteractionResponseType, InteractionType } from 'discord-api-types/v10';
import type { InboundEvent } from '#contracts';
import type { Clock } from '#kernel';
import type { InboundChannel, WebhookRequest } from '../channel-port.js';
import { readJson } from '../json-body.js';
import { verifyDiscord } from './discord-signature.js';
import { interactionEvent } from './interaction-event.js';
import { interactionSchema } from './interaction.schema.js';

interface DiscordInboundOptions {
  channel: string;
  account: string;
  key: KeyObject;
  clock: Clock;
}

/** What is shown until the answer comes; Discord waits three seconds for this and 15 minutes for the answer. */
const DEFERRALS = new Map<number, InteractionResponseType>([
  [InteractionType.ApplicationCommand, InteractionResponseType.DeferredChannelMessageWithSource],
  [InteractionType.MessageComponent, InteractionResponseType.DeferredMessageUpdate],
]);

/** Interactions of one application: slash commands and buttons. What people write besides comes by the gateway only. */
export class DiscordInbound implements InboundChannel {
  constructor(private readonly options: DiscordInboundOptions) {}

  verify(request: WebhookRequest) {
    return verifyDiscord(request, this.options.key, this.options.clock.now());
  }

  handshake(request: WebhookRequest): { type: number } | undefined {
    const { type } = readJson(request, interactionSchema);
    return type === InteractionType.Ping ? { type: InteractionResponseType.Pong } : undefined;
  }

  parse(request: WebhookRequest): InboundEvent[] {
    const { channel, account } = this.options;
    const event = interactionEvent(readJson(request, interactionSchema));
    return event ? [{ channel, account, ...event }] : [];
  }

  acknowledgement(request: WebhookRequest): { type: number } | undefined {
    const type = DEFERRALS.get(readJson(request, interactionSchema).type);
    return type === undefined ? undefined : { type };
  }
}
