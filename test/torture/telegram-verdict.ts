import type { TurnRecord } from '#contracts';
import type { TelegramPost } from '../fakes/telegram-server.js';
import type { Verdict } from '../harness/verdict.js';
import { saidBy } from '../harness/verdict.js';
import type { ChaosCounts } from './chaos.js';

/** Telegram has no idempotency keys: doubles are told by the nonce, and there may be at most one for each death or stop of a dispatcher. */
export function judgeTelegram(
  transcripts: ReadonlyMap<string, readonly TurnRecord[]>,
  posts: readonly TelegramPost[],
  chaos: ChaosCounts,
): Verdict {
  const verdict: Verdict = {};
  let doubles = 0;
  for (const [session, records] of transcripts) {
    const [, chat] = /\.telegram\.bot\.direct\.(.+)$/.exec(session) ?? [];
    if (!chat) continue;
    const shown = posts.filter(({ chatId }) => chatId === chat).map(({ text }) => text);
    const once = [...new Set(shown)];
    doubles += shown.length - once.length;
    const said = records.filter(({ outcome }) => outcome === 'answered').flatMap(({ messages }) => messages.flatMap(saidBy));
    const heard = once.filter((text) => said.includes(text));
    if (JSON.stringify(said) !== JSON.stringify(heard))
      (verdict['telegram: said and shown differ'] ??= []).push({ chat, said, shown });
  }
  if (doubles > chaos.kills.dispatcher + chaos.stops) verdict['telegram: more doubles than deaths'] = [doubles];
  return verdict;
}
