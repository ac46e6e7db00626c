import type { BindingMatch } from './binding.js';
import { parentIds, peerIds, type Place } from './place.js';

/** Which rule decided (RT-1), in the order in which they are asked. */
export type MatchedBy =
  | 'binding.peer'
  | 'binding.peer.parent'
  | 'binding.peer.wildcard'
  | 'binding.guild+roles'
  | 'binding.guild'
  | 'binding.team'
  | 'binding.account'
  | 'binding.channel'
  | 'default';

type Label = readonly (string | undefined)[];

interface Tier {
  rule: Exclude<MatchedBy, 'default'>;
  /** Under which label a binding is filed; undefined: it is of another tier. */
  of: (match: BindingMatch) => Label | undefined;
  /** The labels to look under. */
  at: (place: Place) => readonly Label[];
}

/** A binding belongs to the tier of the narrowest thing it names; one of a chat counts for the threads of that chat too. */
export const TIERS: readonly Tier[] = [
  {
    rule: 'binding.peer',
    of: (match) => labelOfPeer(match, ({ kind, id, thread }) => [kind, id, thread]),
    at: (place) => peerIds(place).map((id) => [place.chatType, id, place.thread]),
  },
  {
    rule: 'binding.peer.parent',
    of: (match) => labelOfPeer(match, ({ kind, id, thread }) => (thread === undefined ? [kind, id] : undefined)),
    at: (place) => parentIds(place).map((id) => [place.chatType, id]),
  },
  {
    rule: 'binding.peer.wildcard',
    of: ({ peer }) => (peer?.id === '*' ? [peer.kind] : undefined),
    at: ({ chatType }) => [[chatType]],
  },
  {
    rule: 'binding.guild+roles',
    of: ({ peer, guild, roles }) => (!peer && guild !== undefined && roles ? [guild] : undefined),
    at: ({ guild }) => [[guild]],
  },
  {
    rule: 'binding.guild',
    of: ({ peer, guild, roles }) => (!peer && guild !== undefined && !roles ? [guild] : undefined),
    at: ({ guild }) => [[guild]],
  },
  {
    rule: 'binding.team',
    of: ({ peer, guild, team }) => (!peer && guild === undefined && team !== undefined ? [team] : undefined),
    at: ({ team }) => [[team]],
  },
  {
    rule: 'binding.account',
    of: (match) => (isBroad(match) && hasAccount(match) ? [match.account] : undefined),
    at: ({ account }) => [[account]],
  },
  {
    rule: 'binding.channel',
    of: (match) => (isBroad(match) && !hasAccount(match) ? [] : undefined),
    at: () => [[]],
  },
];

type Peer = NonNullable<BindingMatch['peer']>;

/** Of a peer that is named. */
function labelOfPeer({ peer }: BindingMatch, label: (peer: Peer) => Label | undefined): Label | undefined {
  return peer && peer.id !== '*' ? label(peer) : undefined;
}

function isBroad({ peer, guild, team }: BindingMatch): boolean {
  return !peer && guild === undefined && team === undefined;
}

function hasAccount({ account = '*' }: BindingMatch): boolean {
  return account !== '*';
}
