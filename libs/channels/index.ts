export type {
  ChannelAccount,
  ChannelCapabilities,
  Chunk,
  InboundChannel,
  OutboundChannel,
  SendContext,
  SendOutcome,
  Verification,
  WebhookRequest,
} from './channel-port.js';
export { ChannelRegistry, type InboundAccount } from './channel-registry.js';
export { telegramAccount, type TelegramAccountOptions } from './telegram/telegram-account.js';
export { Typing } from './typing.js';
export { webchatAccount, type AppendMessage, type WebchatAccountOptions } from './webchat/webchat-account.js';
export { webhookAccount, type WebhookAccountOptions } from './webhook/webhook-account.js';
