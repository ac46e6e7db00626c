import type { InboundEvent } from '#contracts';
import { parseCommand } from '../commands/index.js';
import { botPolicy, groupRules, isListed, isOwner, type AccessPolicy, type BotPolicy } from './access-policy.js';

/** What the policy cannot know. Left out = not looked up yet; nothing is looked up that the verdict does not hang on. */
export interface AccessFacts {
  /** Somebody approved this sender on this account. */
  paired?: boolean;
  /** What `/activation` said in this session; null: nothing. */
  activation?: 'mention' | 'always' | null;
  /** Of this bot and us in this conversation; looking it up uses it. `ends`: it is spent with this very event. */
  botBudget?: 'left' | 'ends' | 'spent';
}

/** Values of the label `reason` of a metric. */
export type IgnoreReason =
  'self' | 'bot' | 'bot-loop' | 'disabled' | 'not-allowed' | 'not-paired' | 'group-not-allowed' | 'not-mentioned';

export type AccessVerdict =
  | { kind: 'admit' }
  | { kind: 'ignore'; reason: IgnoreReason }
  /** A stranger: may ask to be approved. */
  | { kind: 'pair' }
  /** A bot has talked enough: ignored, and said so. */
  | { kind: 'endTalk' }
  /** Said in a group, and not to us: kept for the next message that is. @property most messages kept */
  | { kind: 'remember'; most: number }
  /** Judge again with this fact. */
  | { kind: 'ask'; fact: keyof AccessFacts };

/** Texts are looked at this far for a mention: what a pattern may cost is bounded with it (see mentionPatterns in libs/config). */
const MENTION_WITHIN = 1000;

const ADMIT = { kind: 'admit' } as const;
const ignore = (reason: IgnoreReason): AccessVerdict => ({ kind: 'ignore', reason });
const ask = (fact: keyof AccessFacts): AccessVerdict => ({ kind: 'ask', fact });

/** Who is heard (IN-8). Pure; the caller looks up what is asked for, and acts. */
export function judgeAccess(event: InboundEvent, policy: AccessPolicy, facts: AccessFacts = {}): AccessVerdict {
  if (event.fromSelf) return ignore('self');
  if (event.sender.isBot && botPolicy(event, policy) === 'ignore') return ignore('bot');
  const verdict = event.chatType === 'direct' ? judgeDirect(event, policy, facts) : judgeGroup(event, policy, facts);
  return verdict.kind === 'admit' && event.sender.isBot ? judgeTalk(facts) : verdict;
}

function judgeTalk({ botBudget }: AccessFacts): AccessVerdict {
  if (botBudget === undefined) return ask('botBudget');
  if (botBudget === 'left') return ADMIT;
  return botBudget === 'ends' ? { kind: 'endTalk' } : ignore('bot-loop');
}

function judgeDirect(event: InboundEvent, policy: AccessPolicy, { paired }: AccessFacts): AccessVerdict {
  const { dmPolicy, allowFrom } = policy;
  if (dmPolicy === 'disabled') return ignore('disabled');
  if (dmPolicy === 'open' || isOwner(policy, event) || isListed(allowFrom, event)) return ADMIT;
  // A bot would ask for ever.
  if (dmPolicy === 'allowlist' || event.sender.isBot) return ignore('not-allowed');
  if (paired === undefined) return ask('paired');
  if (paired) return ADMIT;
  return event.kind === 'message' ? { kind: 'pair' } : ignore('not-paired');
}

function judgeGroup(event: InboundEvent, policy: AccessPolicy, { activation }: AccessFacts): AccessVerdict {
  const rules = groupRules(policy, event.conversation);
  if (policy.groupPolicy === 'disabled') return ignore('disabled');
  if (!rules.heard) return ignore('group-not-allowed');
  if (rules.allowFrom && !isListed(rules.allowFrom, event) && !isOwner(policy, event)) return ignore('not-allowed');
  if (isAddressed(event, rules.mentionPatterns)) return ADMIT;
  if (activation === undefined) return ask('activation');
  if (activates(activation ?? (rules.requireMention ? 'mention' : 'always'), event, rules.bots)) return ADMIT;
  return event.kind === 'message' && rules.historyLimit > 0
    ? { kind: 'remember', most: rules.historyLimit }
    : ignore('not-mentioned');
}

function activates(activation: 'mention' | 'always', { sender }: InboundEvent, bots: BotPolicy): boolean {
  return activation === 'always' && !(sender.isBot && bots === 'mention');
}

/** By the platform's own mention (a reply to the bot is one), our button, a command that names no other bot, or a pattern. */
function isAddressed({ mentionsBot, kind, text }: InboundEvent, patterns: readonly string[]): boolean {
  if (mentionsBot || kind === 'callback') return true;
  const said = (text ?? '').slice(0, MENTION_WITHIN);
  const command = parseCommand(said);
  return (command && !command.addressed) || patterns.some((pattern) => new RegExp(pattern, 'iu').test(said));
}
