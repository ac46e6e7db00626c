import { accountAccess, accountsOf, DEFAULT_TENANT, type Config } from '#config';

const DEFAULT_PORT = 3000;

/** What a person who typed `npm start` needs to know, and nothing else. The token is theirs: it is shown on their own terminal. */
export function welcome(url: string, config: Config): string {
  const { auth, agents } = config;
  const { adminToken } = auth;
  const models = [...new Set(Object.values(agents).map(({ model }) => model))].join(', ');
  const elsewhere = Number(new URL(url).port) === DEFAULT_PORT ? '' : ` --url ${url}`;
  const pairs = accountsOf(config).some(
    ({ channel, account }) =>
      channel === 'telegram' && accountAccess(config, DEFAULT_TENANT, channel, account).dmPolicy === 'pairing',
  );
  const strangers = `  Telegram     strangers get a code; let them in with: node bin/turnpike.mjs pairing approve CODE${elsewhere}`;
  const lines = [
    'Turnpike is ready.',
    '',
    `  Chat         ${url}/${adminToken ? `#token=${adminToken}` : ''}`,
    `  Queues       ${url}/queues${adminToken ? `?token=${adminToken}` : ''}`,
    `  Admin token  ${adminToken ?? 'none: set TURNPIKE_ADMIN_TOKEN, then start again'}`,
    `  Model        ${models}${models.startsWith('scripted/') ? '  (an offline demo; OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY brings a real one)' : ''}`,
    `  Terminal     node bin/turnpike.mjs chat${elsewhere}`,
    ...(pairs ? [strangers] : []),
    '',
    'Ctrl-C stops it.',
  ];
  return `\n${lines.join('\n')}\n\n`;
}
