import type { Command } from 'commander';
import type { ApiClient } from './api-client.js';
import type { PairedSender } from './api.schema.js';
import type { Streams } from './streams.js';

export interface PairingOptions {
  url?: string;
  token?: string;
  tenant?: string;
  json?: true;
}

/** `turnpike pairing ...`: who asks to write to the agents, and who may (docs/access.md). */
export function pairingCommand(turnpike: Command, api: (options: PairingOptions) => ApiClient, { stdout }: Streams): void {
  const pairing = turnpike.command('pairing').summary('who asks to write to the agents, and who may');
  const say = (json: true | undefined, answer: unknown, text: string): void =>
    void stdout.write(`${json ? JSON.stringify(answer) : text}\n`);

  options(pairing.command('list').summary('who waits for approval, and who was approved')).action(
    async (given: PairingOptions) => {
      const list = await api(given).pairings(given.tenant);
      const waiting = list.pending.map((one) => `${one.code}  ${who(one)}  for ${Math.ceil(one.endsInMs / 60_000)} min more`);
      const approved = list.approved.map((one) => `${who(one)}  by ${plain(one.by)}`);
      say(given.json, list, [...section('Waiting:', waiting), ...section('Approved:', approved)].join('\n'));
    },
  );

  options(
    pairing.command('approve').summary('let somebody write to the agents').argument('<code>', 'as the agent told it'),
  ).action(async (code: string, given: PairingOptions) => {
    const sender = await api(given).approvePairing(code, given.tenant);
    say(given.json, sender, `Approved: ${who(sender)}`);
  });

  options(
    pairing
      .command('revoke')
      .summary('make somebody a stranger again')
      .argument('<channel>')
      .argument('<account>')
      .argument('<sender>', 'the id that `pairing list` shows'),
  ).action(async (channel: string, account: string, sender: string, given: PairingOptions) => {
    await api(given).revokePairing({ channel, account, sender }, given.tenant);
    say(given.json, { channel, account, sender }, `Revoked: ${plain(sender)} on ${plain(channel)}/${plain(account)}`);
  });
}

function options(command: Command): Command {
  return command
    .option('--url <address>', 'address of the deployment (default: TURNPIKE_URL)')
    .option('--token <token>', 'an admin token, or one with pairing: true (default: TURNPIKE_TOKEN, else ./data/admin-token)')
    .option('--tenant <name>', "whose agents (default: the token's own tenant)")
    .option('--json', "print the server's answer as one line of JSON");
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, ...(lines.length > 0 ? lines : ['nobody']).map((line) => `  ${line}`)];
}

function who({ channel, account, sender, name }: PairedSender): string {
  return `${plain(sender)}${name ? ` (${plain(name)})` : ''} on ${plain(channel)}/${plain(account)}`;
}

/** Strangers choose these words: nothing in them may move a terminal's cursor or its reading order. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}
