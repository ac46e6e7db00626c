import { readFileSync } from 'node:fs';
import { CliError, EXIT } from './cli-error.js';
import type { CliEnvironment } from './environment.js';

/** Where `npm start` serves. */
export const DEFAULT_URL = 'http://127.0.0.1:3000';
/** Where `npm start` keeps the token it made, seen from the folder it was started in. */
const ADMIN_TOKEN_FILE = './data/admin-token';

export interface Deployment {
  url: URL;
  token: string;
}

interface Flags {
  url?: string | undefined;
  token?: string | undefined;
}

/** Flags, then the environment, then what `npm start` left in this folder. Throws CliError that says what is missing. */
export function findDeployment(flags: Flags, env: CliEnvironment, tokenFile: string = ADMIN_TOKEN_FILE): Deployment {
  const token = flags.token ?? env.token ?? readToken(tokenFile);
  if (!token) {
    throw new CliError(
      EXIT.auth,
      `No access token. Give one with --token or TURNPIKE_TOKEN, or run this in the folder of a deployment that \`npm start\` made (it keeps its token in ${ADMIN_TOKEN_FILE}).`,
    );
  }
  return { url: parseUrl(flags.url ?? env.url ?? DEFAULT_URL), token };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return new URL(url.href.replace(/\/*$/, '/'));
  throw new CliError(EXIT.usage, `"${text}" is no address of a deployment. Write it like ${DEFAULT_URL}.`);
}

function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
