import { createCipheriv, createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** One event as a platform posts it: n is its number, and its sender's. */
export interface WebhookPost {
  body: string;
  headers: Record<string, string>;
}

export interface WebhookRow {
  /** Of `/webhooks/<channel>/bench`. */
  channel: string;
  /** Section of `channels` in the configuration, and the account `bench` in it. */
  section: string;
  account: Record<string, unknown>;
  post(n: number): WebhookPost;
  /** What the platform gives an acknowledgement, ms. */
  most: { p50?: number; p99?: number };
}

const SECRET = 'a-secret-of-the-bench-0001';
const NOBODY = 'http://127.0.0.1:9';
const APP = 'cli_bench';
const discord = generateKeyPairSync('ed25519');
const discordKey = discord.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

const textOf = (n: number): string => `#${n} `.padEnd(100, 'x');
const seconds = (): string => String(Math.floor(Date.now() / 1000));
const hmac = (text: string): string => createHmac('sha256', SECRET).update(text).digest('hex');

/** Every channel that takes webhooks: one line a row of the report. */
export const WEBHOOK_ROWS: readonly WebhookRow[] = [
  {
    channel: 'telegram',
    section: 'telegram',
    account: { botToken: '1:bench', secretToken: SECRET, apiRoot: NOBODY },
    post: telegramPost,
    most: {},
  },
  { channel: 'generic', section: 'webhook', account: { secret: SECRET }, post: genericPost, most: {} },
  {
    channel: 'slack',
    section: 'slack',
    account: { botToken: 'xoxb-bench', signingSecret: SECRET, apiRoot: NOBODY },
    post: slackPost,
    most: { p99: 3000 },
  },
  {
    channel: 'discord',
    section: 'discord',
    account: { applicationId: '100', publicKey: discordKey, botToken: 'bench', apiRoot: NOBODY },
    post: discordPost,
    most: { p99: 3000 },
  },
  {
    channel: 'whatsapp',
    section: 'whatsapp',
    account: { phoneNumberId: '200', accessToken: SECRET, appSecret: SECRET, verifyToken: SECRET, apiRoot: NOBODY },
    post: whatsappPost,
    most: { p50: 250, p99: 1000 },
  },
  {
    channel: 'feishu',
    section: 'feishu',
    account: { appId: APP, appSecret: SECRET, verificationToken: SECRET, encryptKey: SECRET, apiRoot: NOBODY },
    post: feishuPost,
    most: { p99: 3000 },
  },
];

function telegramPost(n: number): WebhookPost {
  const from = { id: 1000 + n, is_bot: false, first_name: 'Alex' };
  const message = {
    message_id: n,
    from,
    chat: { id: from.id, type: 'private', first_name: 'Alex' },
    date: 1_764_547_200,
    text: textOf(n),
  };
  return json({ update_id: n, message }, { 'x-telegram-bot-api-secret-token': SECRET });
}

function genericPost(n: number): WebhookPost {
  const conversation = { id: `c${n}`, type: 'direct' };
  const event = { id: `e${n}`, type: 'message', conversation, sender: { id: `u${n}`, name: 'Alex' }, text: textOf(n) };
  const { body } = json({ ...event, timestamp: '2025-12-01T00:00:00Z', attachments: [] });
  return signed(body, { 'x-signature-256': `sha256=${hmac(body)}` });
}

function slackPost(n: number): WebhookPost {
  const ts = `1764547260.${String(n).padStart(6, '0')}`;
  const event = { type: 'message', channel_type: 'im', user: `U${n}`, channel: `D${n}`, text: textOf(n), ts, event_ts: ts };
  const { body } = json({
    team_id: 'T1',
    api_app_id: 'A1',
    event,
    type: 'event_callback',
    event_id: `Ev${n}`,
    event_time: 1_764_547_200,
  });
  const at = seconds();
  return signed(body, { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${hmac(`v0:${at}:${body}`)}` });
}

function discordPost(n: number): WebhookPost {
  const user = { id: String(2000 + n), username: 'alex', global_name: 'Alex', discriminator: '0', avatar: null };
  const option = { name: 'question', type: 3, value: textOf(n) };
  const call = {
    application_id: '100',
    id: String(300_000 + n),
    token: `t${n}`,
    type: 2,
    version: 1,
    channel_id: String(5000 + n),
    user,
  };
  const { body } = json({ ...call, data: { id: '600', name: 'ask', type: 1, options: [option] } });
  const at = seconds();
  const signature = sign(undefined, Buffer.from(at + body), discord.privateKey).toString('hex');
  return signed(body, { 'x-signature-timestamp': at, 'x-signature-ed25519': signature });
}

function whatsappPost(n: number): WebhookPost {
  const from = String(15_550_000_000 + n);
  const message = { from, id: `wamid.${n}`, timestamp: '1764547200', text: { body: textOf(n) }, type: 'text' };
  const metadata = { display_phone_number: '15550100001', phone_number_id: '200' };
  const value = {
    messaging_product: 'whatsapp',
    metadata,
    contacts: [{ profile: { name: 'Alex' }, wa_id: from }],
    messages: [message],
  };
  const { body } = json({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ value, field: 'messages' }] }] });
  return signed(body, { 'x-hub-signature-256': `sha256=${hmac(body)}` });
}

/** Encrypted and signed, as Feishu recommends. */
function feishuPost(n: number): WebhookPost {
  const header = {
    event_id: `f${n}`,
    event_type: 'im.message.receive_v1',
    create_time: '1764547200000',
    token: SECRET,
    app_id: APP,
  };
  const sender = { sender_id: { open_id: `ou_${n}` }, sender_type: 'user', tenant_key: 't' };
  const content = JSON.stringify({ text: textOf(n) });
  const message = {
    message_id: `om_${n}`,
    create_time: '1764547200000',
    chat_id: `oc_${n}`,
    chat_type: 'p2p',
    message_type: 'text',
    content,
  };
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(SECRET).digest(), iv);
  const event = JSON.stringify({ schema: '2.0', header, event: { sender, message } });
  const { body } = json({ encrypt: Buffer.concat([iv, cipher.update(event), cipher.final()]).toString('base64') });
  const at = seconds();
  const signature = createHash('sha256').update(`${at}nonce${SECRET}${body}`).digest('hex');
  return signed(body, { 'x-lark-request-timestamp': at, 'x-lark-request-nonce': 'nonce', 'x-lark-signature': signature });
}

function json(body: object, headers: Record<string, string> = {}): WebhookPost {
  return signed(JSON.stringify(body), headers);
}

function signed(body: string, headers: Record<string, string>): WebhookPost {
  return { body, headers: { 'content-type': 'application/json', ...headers } };
}
