import { pluginFolder } from './plugin-folder.js';

/** Every secret of the deployment, each told from the others. */
export const SECRETS = {
  admin: 'MARK-admin-token-00000001',
  token: 'MARK-caller-token-0000002',
  redis: 'MARK/redis@password:00024',
  telegram: '600099:MARK-telegram-bot-03',
  telegramProof: 'MARK-telegram-proof-0004',
  webhook: 'MARK/webhook+secret=00005',
  slack: 'xoxb-MARK-slack-token-06',
  slackProof: 'MARK-slack-signing-00007',
  discord: 'MARK.discord-bot-token-08',
  whatsapp: 'MARK-whatsapp-access-009',
  whatsappProof: 'MARK-whatsapp-app-sec-10',
  whatsappVerify: 'MARK-whatsapp-verify-011',
  feishu: 'MARK-feishu-app-secret-12',
  feishuProof: 'MARK-feishu-verify-tok-13',
  feishuKey: 'MARK-feishu-encrypt-k-14',
  openai: 'MARK-openai-api-key-0015',
  key1: 'MARK-provider-key-one-16',
  key2: 'MARK-provider-key-two-17',
  anthropic: 'MARK-anthropic-key-00018',
  google: 'MARK-google-api-key-0019',
  mcpHeader: 'MARK-mcp-header-value-20',
  mcpEnv: 'MARK-mcp-environment-021',
  plugin: 'MARK-plugin-option-00022',
  nested: 'MARK-plugin-nested-00023',
};
/** What people, models and tools say. */
export const BODIES = {
  asked: 'BODY the question of somebody, "quoted" & <tagged>',
  answered: 'BODY the answer of a model\nin two lines',
  argument: 'BODY an argument of a tool',
};

const leaky = `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
export default defineToolPlugin({
  id: 'leaky', name: 'leaky', description: 'Quotes what it knows.',
  tools: (tool) => [tool({
    name: 'leak', description: 'Fails.', effect: 'pure', parameters: Type.Object({ value: Type.String() }),
    async execute(args, config, { logger }) {
      throw new Error('failed with ' + JSON.stringify(args) + ' and ' + JSON.stringify(config));
    },
  })],
});`;
const hooked = `import { definePluginEntry } from 'turnpike/plugin-sdk';
export default definePluginEntry({
  id: 'hooked', name: 'hooked', description: 'Fails at what it is told.',
  register(api) {
    for (const hook of ['message_received', 'llm_input', 'after_tool_call', 'turn_end'])
      api.on(hook, (told) => { throw new Error(hook + ' of ' + JSON.stringify(told)); });
    api.registerCommand({ name: 'quote', description: 'Fails.', async handler(call) { throw new Error(JSON.stringify(call.args)); } });
    api.registerHttpRoute({ method: 'POST', path: '/quote', async handler(call) { throw new Error(JSON.stringify(call.body)); } });
  },
});`;
const failing = `import { definePluginEntry } from 'turnpike/plugin-sdk';
export default definePluginEntry({
  id: 'failing', name: 'failing', description: 'Does not start.',
  register(api) { throw new Error('cannot start with ' + JSON.stringify(api.pluginConfig ?? api.config)); },
});`;
const option = { type: 'string' };
const root = pluginFolder({
  leaky: {
    manifest: {
      contracts: { tools: ['leak'] },
      configSchema: {
        type: 'object',
        properties: { key: option, deep: { type: 'object', properties: { list: { type: 'array', items: option } } } },
      },
    },
    code: leaky,
  },
  hooked: { manifest: { contracts: { commands: ['quote'], httpRoutes: ['/quote'] } }, code: hooked },
  failing: { manifest: { configSchema: { type: 'object', properties: { key: option } } }, code: failing },
});

export const PROVIDERS = ['house', 'anthropic', 'google', 'denied', 'broken'];

/** Every channel, provider and server there is at `url`, which quotes whatever it is asked. */
export function deploymentAt(url: string): Record<string, unknown> {
  const house = (more: object) => ({ baseUrl: `${url}/v1`, ...more });
  return {
    log: { level: 'trace' },
    auth: { adminToken: SECRETS.admin, tokens: [{ name: 'ann', token: SECRETS.token }] },
    agents: {
      main: { model: 'openai/stage' },
      ...Object.fromEntries(PROVIDERS.map((id) => [id, { model: `${id}/x` }])),
    },
    models: {
      providers: {
        house: house({ api: 'openai-chat', apiKeys: [SECRETS.key1, SECRETS.key2] }),
        anthropic: house({ apiKey: SECRETS.anthropic }),
        google: house({ apiKey: SECRETS.google }),
        denied: { api: 'openai-chat', baseUrl: `${url}/401/v1`, apiKey: SECRETS.key1 },
        broken: { api: 'openai-responses', baseUrl: `${url}/500/v1`, apiKey: SECRETS.key2 },
      },
    },
    mcpServers: {
      rude: { url: `${url}/mcp`, headers: { authorization: `Bearer ${SECRETS.mcpHeader}` }, tools: [{ name: 'ask' }] },
      dead: {
        command: process.execPath,
        args: ['-e', 'console.error("I have " + process.env.KEY); process.exit(3)'],
        env: { KEY: SECRETS.mcpEnv },
        tools: [{ name: 'ask' }],
      },
    },
    plugins: {
      load: { paths: [root] },
      entries: {
        leaky: { config: { key: SECRETS.plugin, deep: { list: [SECRETS.nested] } } },
        failing: { config: { key: SECRETS.plugin } },
      },
    },
    access: { dmPolicy: 'open' },
    lanes: { deliveries: { maxTries: 2 } },
    channels: {
      telegram: {
        accounts: { mark: { botToken: SECRETS.telegram, secretToken: SECRETS.telegramProof, apiRoot: url } },
      },
      webhook: { accounts: { mark: { secret: SECRETS.webhook, outboundUrl: `${url}/hook` } } },
      slack: { accounts: { mark: { botToken: SECRETS.slack, signingSecret: SECRETS.slackProof, apiRoot: url } } },
      discord: {
        accounts: {
          mark: { applicationId: '1', publicKey: 'ab'.repeat(32), botToken: SECRETS.discord, apiRoot: url },
        },
      },
      whatsapp: {
        accounts: {
          mark: {
            phoneNumberId: '1',
            accessToken: SECRETS.whatsapp,
            appSecret: SECRETS.whatsappProof,
            verifyToken: SECRETS.whatsappVerify,
            apiRoot: url,
          },
        },
      },
      feishu: {
        accounts: {
          mark: {
            appId: 'cli_1',
            appSecret: SECRETS.feishu,
            verificationToken: SECRETS.feishuProof,
            encryptKey: SECRETS.feishuKey,
            botOpenId: 'ou_bot',
            apiRoot: url,
          },
        },
      },
    },
  };
}

/** Whatever a secret or a text may have been turned into on its way. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(text), Buffer.from(text).toString('base64')];
}

/** Where one of these stands in an output, in whichever form. */
export function leaks(output: string, of: Record<string, string>): string[] {
  return Object.entries(of).flatMap(([name, text]) => {
    const form = formsOf(text).find((one) => output.includes(one));
    if (form === undefined) return [];
    const where = output.indexOf(form);
    return [`${name}: ...${output.slice(Math.max(0, where - 300), where + form.length + 40)}`];
  });
}
