import type { Config } from '#config';

const DEFAULT_PORT = 3000;

/** What a person who typed `npm start` needs to know, and nothing else. The token is theirs: it is shown on their own terminal. */
export function welcome(url: string, { auth, agents }: Config): string {
  const { adminToken } = auth;
  const models = [...new Set(Object.values(agents).map(({ model }) => model))].join(', ');
  const elsewhere = Number(new URL(url).port) === DEFAULT_PORT ? '' : ` --url ${url}`;
  const lines = [
    'Turnpike is ready.',
    '',
    `  Chat         ${url}/${adminToken ? `#token=${adminToken}` : ''}`,
    `  Queues       ${url}/queues${adminToken ? `?token=${adminToken}` : ''}`,
    `  Admin token  ${adminToken ?? 'none: set TURNPIKE_ADMIN_TOKEN, then start again'}`,
    `  Model        ${models}${models.startsWith('scripted/') ? '  (an offline demo; set OPENAI_API_KEY for a real one)' : ''}`,
    `  Terminal     node bin/turnpike.mjs chat${elsewhere}`,
    '',
    'Ctrl-C stops it.',
  ];
  return `\n${lines.join('\n')}\n\n`;
}
