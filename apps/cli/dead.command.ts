import type { Command } from 'commander';
import type { ApiClient } from './api-client.js';
import type { DeadLetter, FoundLetter, ReplayedLetter } from './api.schema.js';
import { CliError, EXIT } from './cli-error.js';
import type { Streams } from './streams.js';
import { plain, say, tenantOptions, type TenantOptions } from './tenant-command.js';

const TOKENS = 'an admin token, or one of the tenant';
const TEXT_SHOWN = 60;

/** `turnpike dead ...`: messages that could not be delivered, to look at and to send again (docs/delivery.md). */
export function deadCommand(turnpike: Command, api: (options: TenantOptions) => ApiClient, streams: Streams): void {
  const dead = turnpike.command('dead').summary('messages that could not be delivered');

  tenantOptions(dead.command('list').summary('what was given up and why, newest first'), TOKENS)
    .option('--before <time>', 'the next page: the time that the page before ended with', Number)
    .action(async (given: TenantOptions & { before?: number }) => {
      const page = await api(given).deadLetters(given.before, given.tenant);
      const more = page.next === null ? [] : [`More: --before ${page.next}`];
      say(streams, given, page, [...(page.deadLetters.length > 0 ? page.deadLetters.map(line) : ['None.']), ...more].join('\n'));
    });

  tenantOptions(dead.command('show').summary('one of them, whole').argument('<id>'), TOKENS).action(
    async (id: string, given: TenantOptions) => {
      const letter = await api(given).deadLetter(id, given.tenant);
      say(streams, given, letter, whole(letter));
    },
  );

  tenantOptions(
    dead.command('replay').summary('send again, each once however often it is asked for').argument('[ids...]'),
    TOKENS,
  )
    .option('--all', 'all that there are now')
    .action(async (ids: string[], given: TenantOptions & { all?: true }) => {
      const client = api(given);
      if ((given.all === true) === ids.length > 0)
        throw new CliError(EXIT.usage, 'Name the messages to send again, or say --all.');
      const wanted = given.all ? await everyId(client, given.tenant) : ids;
      for (const id of wanted) {
        const replayed = await client.replay(id, given.tenant);
        say(streams, given, replayed, sentAgain(replayed));
      }
    });
}

/** Before the first is sent again: what dies once more is not asked for twice. */
async function everyId(client: ApiClient, tenant: string | undefined): Promise<string[]> {
  const ids: string[] = [];
  let before: number | undefined;
  do {
    const page = await client.deadLetters(before, tenant);
    ids.push(...page.deadLetters.map(({ id }) => id));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return ids.toReversed();
}

function line({ id, at, state, reason, channel, account, conversation, text }: DeadLetter): string {
  const doubt = state === 'unknown' ? ' (may have arrived)' : '';
  const said = plain(text).slice(0, TEXT_SHOWN);
  return `${id}  ${new Date(at).toISOString()}  ${plain(channel)}/${plain(account)} to ${plain(conversation)}\n  ${plain(reason)}${doubt}: ${said}`;
}

function whole(letter: FoundLetter): string {
  return Object.entries(letter)
    .map(([name, value]) => `${name}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('\n');
}

function sentAgain({ id, replayedAs, replayedAt }: ReplayedLetter): string {
  return `${plain(id)}: sent again as ${plain(replayedAs)}, ${new Date(replayedAt).toISOString()}`;
}
