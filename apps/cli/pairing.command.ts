import type { Command } from 'commander';
import type { ApiClient } from './api-client.js';
import type { PairedSender } from './api.schema.js';
import type { Streams } from './streams.js';
import { plain, say, tenantOptions, type TenantOptions } from './tenant-command.js';

const TOKENS = 'an admin token, or one with pairing: true';

/** `turnpike pairing ...`: who asks to write to the agents, and who may (docs/access.md). */
export function pairingCommand(turnpike: Command, api: (options: TenantOptions) => ApiClient, streams: Streams): void {
  const pairing = turnpike.command('pairing').summary('who asks to write to the agents, and who may');
  const options = (command: Command): Command => tenantOptions(command, TOKENS);

  options(pairing.command('list').summary('who waits for approval, and who was approved')).action(
    async (given: TenantOptions) => {
      const list = await api(given).pairings(given.tenant);
      const waiting = list.pending.map((one) => `${one.code}  ${who(one)}  for ${Math.ceil(one.endsInMs / 60_000)} min more`);
      const approved = list.approved.map((one) => `${who(one)}  by ${plain(one.by)}`);
      say(streams, given, list, [...section('Waiting:', waiting), ...section('Approved:', approved)].join('\n'));
    },
  );

  options(
    pairing.command('approve').summary('let somebody write to the agents').argument('<code>', 'as the agent told it'),
  ).action(async (code: string, given: TenantOptions) => {
    const sender = await api(given).approvePairing(code, given.tenant);
    say(streams, given, sender, `Approved: ${who(sender)}`);
  });

  options(
    pairing
      .command('revoke')
      .summary('make somebody a stranger again')
      .argument('<channel>')
      .argument('<account>')
      .argument('<sender>', 'the id that `pairing list` shows'),
  ).action(async (channel: string, account: string, sender: string, given: TenantOptions) => {
    await api(given).revokePairing({ channel, account, sender }, given.tenant);
    say(streams, given, { channel, account, sender }, `Revoked: ${plain(sender)} on ${plain(channel)}/${plain(account)}`);
  });
}

function section(title: string, lines: readonly string[]): string[] {
  return [title, ...(lines.length > 0 ? lines : ['nobody']).map((line) => `  ${line}`)];
}

function who({ channel, account, sender, name }: PairedSender): string {
  return `${plain(sender)}${name ? ` (${plain(name)})` : ''} on ${plain(channel)}/${plain(account)}`;
}
