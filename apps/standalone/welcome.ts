import type { Config } from '#config';

/** What a person who typed `npm start` needs to know, and nothing else. The token is theirs: it is shown on their own terminal. */
export function welcome(url: string, config: Config): string {
  const { adminToken } = config.auth;
  const model = config.agents.main.model;
  const lines = [
    'Turnpike is ready.',
    '',
    `  Chat         ${url}/${adminToken ? `#token=${adminToken}` : ''}`,
    `  Queues       ${url}/queues${adminToken ? `?token=${adminToken}` : ''}`,
    `  Admin token  ${adminToken ?? 'none: set TURNPIKE_ADMIN_TOKEN, then start again'}`,
    `  Model        ${model}${model.startsWith('scripted/') ? '  (an offline demo; set OPENAI_API_KEY for a real one)' : ''}`,
    '',
    'In another terminal: npx turnpike chat. Ctrl-C stops; conversations are kept.',
    '',
  ];
  return `\n${lines.join('\n')}\n`;
}
