/** What one group may say otherwise than the account it is in. */
export interface GroupAccess {
  enabled?: boolean | undefined;
  allowFrom?: readonly string[] | undefined;
  requireMention?: boolean | undefined;
  mentionPatterns?: readonly string[] | undefined;
  historyLimit?: number | undefined;
  bots?: BotPolicy | undefined;
}

export type BotPolicy = 'ignore' | 'mention' | 'allow';

/** Who is heard on one account (IN-8), with nothing left to default. docs/access.md explains every option. */
export interface AccessPolicy {
  dmPolicy: 'pairing' | 'allowlist' | 'open' | 'disabled';
  /** `<sender id>`, `<channel>:<sender id>` or `username:<name>`. */
  allowFrom: readonly string[];
  groupPolicy: 'allowlist' | 'open' | 'disabled';
  /** By group id; `*` is every group that is not named. */
  groups: Readonly<Record<string, GroupAccess>>;
  /** undefined: everybody in a group that is heard. */
  groupAllowFrom?: readonly string[] | undefined;
  requireMention: boolean;
  mentionPatterns: readonly string[];
  /** Messages of a group kept for the next one that is admitted. */
  historyLimit: number;
  bots: BotPolicy;
  /** `<channel>:<sender id>`. */
  owners: readonly string[];
}

type Sender = { channel: string; sender: { id: string }; senderUsername?: string | undefined };

/** Owners are admitted to direct chats and may use every command. */
export function isOwner({ owners }: Pick<AccessPolicy, 'owners'>, { channel, sender }: Omit<Sender, 'senderUsername'>): boolean {
  return owners.includes(`${channel}:${sender.id}`);
}

/** A user name can be given up and taken by another person: it counts only where the list says `username:`. */
export function isListed(list: readonly string[], { channel, sender, senderUsername }: Sender): boolean {
  return list.some((entry) =>
    entry.startsWith(USERNAME)
      ? entry.slice(USERNAME.length).toLowerCase() === senderUsername?.toLowerCase()
      : entry === sender.id || entry === `${channel}:${sender.id}`,
  );
}

const USERNAME = 'username:';

interface GroupRules extends Required<Pick<AccessPolicy, 'requireMention' | 'mentionPatterns' | 'historyLimit' | 'bots'>> {
  heard: boolean;
  allowFrom: readonly string[] | undefined;
}

/** The rules of one group: its own word, else that of `*`, else that of the account. */
export function groupRules(policy: AccessPolicy, group: string): GroupRules {
  const { groups, groupPolicy } = policy;
  const named = Object.hasOwn(groups, group) ? groups[group] : undefined;
  const own: GroupAccess = { ...groups['*'], ...named };
  const listed = named !== undefined || groups['*'] !== undefined;
  return {
    heard: groupPolicy !== 'disabled' && (own.enabled ?? true) && (groupPolicy === 'open' || listed),
    allowFrom: own.allowFrom ?? policy.groupAllowFrom,
    requireMention: own.requireMention ?? policy.requireMention,
    mentionPatterns: own.mentionPatterns ?? policy.mentionPatterns,
    historyLimit: own.historyLimit ?? policy.historyLimit,
    bots: own.bots ?? policy.bots,
  };
}

/** What becomes of bots where this was said. */
export function botPolicy(
  { chatType, conversation }: { chatType: string; conversation: string },
  policy: AccessPolicy,
): BotPolicy {
  return chatType === 'direct' ? policy.bots : groupRules(policy, conversation).bots;
}
