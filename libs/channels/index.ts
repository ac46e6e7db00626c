export type {
  ChannelAccount,
  ChannelCapabilities,
  ChannelDescription,
  ChannelKind,
  Chunk,
  DeliveryReport,
  InboundChannel,
  OutboundChannel,
  PreviewOutcome,
  PreviewSign,
  RateScope,
  SendContext,
  SendOutcome,
  Verification,
  WebhookRequest,
} from './channel-port.js';
export { equalInConstantTime } from './constant-time.js';
export { post, retryAfterMs, type HttpAnswer } from './delivery-outcome.js';
export { plainDialect } from './markdown/plain.dialect.js';
export { MediaFetch } from './media/media-fetch.js';
export { ChannelRegistry, type InboundAccount } from './channel-registry.js';
export type { Dialect, LengthUnit, Markup, Part, Place, RenderedChunk, Style } from './markdown/dialect.js';
export { renderMarkdown } from './markdown/render-markdown.js';
export { feishuChannel } from './feishu/feishu-account.js';
export { discordChannel } from './discord/discord-account.js';
export { discordCommands, registerDiscordCommands } from './discord/discord-commands.js';
export { slackChannel } from './slack/slack-account.js';
export { telegramChannel, type TelegramAccountOptions } from './telegram/telegram-account.js';
export { TEXT_ONLY } from './text-only.js';
export { answering, Typing } from './typing.js';
export { webchatAccount, type AppendMessage, type WebchatAccountOptions } from './webchat/webchat-account.js';
export { webchatDescription } from './webchat/webchat-description.js';
export { webhookAccount, webhookChannel, type WebhookAccountOptions } from './webhook/webhook-account.js';
export { whatsappChannel } from './whatsapp/whatsapp-account.js';
