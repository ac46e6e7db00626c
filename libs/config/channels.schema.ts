import { z } from 'zod';
import { accountOptions } from './channels/account-options.js';
import { feishuAccountSchema } from './channels/feishu.schema.js';
import { discordAccountSchema } from './channels/discord.schema.js';
import { slackAccountSchema } from './channels/slack.schema.js';
import { telegramAccountSchema } from './channels/telegram.schema.js';
import { webhookAccountSchema } from './channels/webhook.schema.js';
import { whatsappAccountSchema } from './channels/whatsapp.schema.js';
import { nameSchema } from './option-types.js';

const section = <Account extends z.ZodType>(account: Account) =>
  z
    .strictObject({
      access: accountOptions.access,
      tools: accountOptions.tools,
      accounts: z.record(nameSchema, account).prefault({}),
    })
    .prefault({});

/** Channels with accounts: one line each, by the name of its section in the file. */
const accountSections = {
  feishu: section(feishuAccountSchema),
  telegram: section(telegramAccountSchema),
  slack: section(slackAccountSchema),
  discord: section(discordAccountSchema),
  webhook: section(webhookAccountSchema),
  whatsapp: section(whatsappAccountSchema),
};
const accountSectionsSchema = z.strictObject(accountSections);
export const accountSectionNames = accountSectionsSchema.keyof().options;
export type AccountSection = (typeof accountSectionNames)[number];

/** The options of one account, by section. */
export type AccountConfigs = {
  [S in AccountSection]: z.output<typeof accountSectionsSchema>[S]['accounts'][string];
};

/** Channels that plugins bring, by their names. What an account needs is for the manifest of its plugin to say (TO-3). */
const pluginChannelSchema = section(
  z.strictObject({
    ...accountOptions,
    config: z
      .record(z.string(), z.unknown().meta({ secret: 'perhaps' }))
      .default({})
      .describe("The account's own options, checked against the manifest of the plugin"),
  }),
);

export const channelsSchema = accountSectionsSchema.extend({
  webchat: z.strictObject({ agent: accountOptions.agent, tools: accountOptions.tools }).prefault({}),
  plugins: z.record(nameSchema, pluginChannelSchema).prefault({}),
});

type ChannelsConfig = z.output<typeof channelsSchema>;
type PluginChannelConfig = z.output<typeof pluginChannelSchema>;

/** What every channel with accounts has, built in or not. */
export interface ChannelSection extends Pick<PluginChannelConfig, 'access' | 'tools'> {
  /** As events, URLs and bindings name it. */
  channel: string;
  /** Where it is in its tenant's sections. */
  path: string;
  accounts: Readonly<Record<string, Pick<PluginChannelConfig['accounts'][string], 'access' | 'agent' | 'tools'>>>;
}

export function channelSections(channels: ChannelsConfig): ChannelSection[] {
  return [
    ...accountSectionNames.map((name) => builtIn(channels, name)),
    ...Object.keys(channels.plugins).flatMap((name) => channelSection(channels, name) ?? []),
  ];
}

/** Of one channel; undefined where it has no accounts: web chat, or one that is not there. */
export function channelSection(channels: ChannelsConfig, channel: string): ChannelSection | undefined {
  const name = accountSectionNames.find((one) => channelOfSection(one) === channel);
  if (name) return builtIn(channels, name);
  const found = Object.hasOwn(channels.plugins, channel) ? channels.plugins[channel] : undefined;
  return found && { ...found, channel, path: `channels.plugins.${channel}` };
}

function builtIn(channels: ChannelsConfig, name: AccountSection): ChannelSection {
  return { ...channels[name], channel: channelOfSection(name), path: `channels.${name}` };
}

/** The channel's name in events, URLs and bindings. Only the generic webhook has another one than its section. */
export function channelOfSection(name: AccountSection): string {
  return name === 'webhook' ? 'generic' : name;
}

/** Names that no plugin may give its channel. */
export const builtInChannels: readonly string[] = [...accountSectionNames.map(channelOfSection), 'webchat'];
