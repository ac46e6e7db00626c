import type { Command } from 'commander';
import type { Streams } from './streams.js';

/** What every command about a tenant takes. */
export interface TenantOptions {
  url?: string;
  token?: string;
  tenant?: string;
  json?: true;
}

/** @param token which tokens will do */
export function tenantOptions(command: Command, token: string): Command {
  return command
    .option('--url <address>', 'address of the deployment (default: TURNPIKE_URL)')
    .option('--token <token>', `${token} (default: TURNPIKE_TOKEN, else ./data/admin-token)`)
    .option('--tenant <name>', "whose (default: the token's own tenant)")
    .option('--json', "print the server's answer as one line of JSON");
}

export function say({ stdout }: Streams, { json }: TenantOptions, answer: unknown, text: string): void {
  stdout.write(`${json ? JSON.stringify(answer) : text}\n`);
}

/** Strangers choose these words: nothing in them may move a terminal's cursor or its reading order. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}
