import { unmet, type Binding } from './binding.js';
import { parentIds, peerIds, type Place } from './place.js';
import type { Router, RoutingRules, Route } from './router.js';
import { TIERS, type MatchedBy } from './tiers.js';

/** What became of one tier, for people. */
export interface TierReport {
  rule: MatchedBy;
  /** Why each binding of the tier did not match, up to the one that did. */
  refused: { source: string; because: string }[];
  /** The option that decided; the tiers behind it are not reported. */
  matched?: string;
}

/** The same decision as Router.route, with its reasons. @throws like it */
export function explainRoute(router: Router, { bindings }: RoutingRules, place: Place): { route: Route; tiers: TierReport[] } {
  const route = router.route(place);
  const tiers: TierReport[] = [];
  for (const { rule, of } of TIERS) {
    const own = bindings.filter(({ match }) => of(match) !== undefined);
    const until = rule === route.matchedBy ? own.findIndex(({ source }) => source === route.source) : own.length;
    const refused = own.slice(0, until).map((binding) => ({ source: binding.source, because: whyNot(binding, rule, place) }));
    if (rule === route.matchedBy) return { route, tiers: [...tiers, { rule, refused, matched: route.source }] };
    tiers.push({ rule, refused });
  }
  return { route, tiers: [...tiers, { rule: 'default', refused: [], matched: route.source }] };
}

function whyNot({ match }: Binding, rule: MatchedBy, place: Place): string {
  const { channel, peer } = match;
  if (channel !== place.channel) return differs('channel', channel, place.channel);
  if (peer && peer.kind !== place.chatType) return differs('peer.kind', peer.kind, place.chatType);
  if (peer && peer.id !== '*') {
    const ids = rule === 'binding.peer' ? peerIds(place) : parentIds(place);
    if (ids.length === 0) return 'it is of a chat with threads, and this message is in no thread';
    if (!ids.includes(peer.id)) return differs(rule === 'binding.peer' ? 'peer.id' : 'the parent', peer.id, ids.join(' or '));
    if (rule === 'binding.peer' && peer.thread !== place.thread) return differs('peer.thread', peer.thread, place.thread);
  }
  const field = unmet(match, place);
  return field ? differs(field, match[field], place[field]) : 'an earlier one matched';
}

type Value = string | readonly string[] | undefined;

function differs(field: string, wanted: Value, found: Value): string {
  return `${field}: asks for ${text(wanted)}, the message has ${text(found)}`;
}

function text(value: Value): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : value.join(' or ');
}
