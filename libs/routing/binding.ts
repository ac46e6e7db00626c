import type { ChatType, Place } from './place.js';
import type { SessionScopes } from './session-key.js';

/** What a binding asks for; everything it names must be so. */
export interface BindingMatch {
  channel: string;
  /** Absent, and `*`: every account. */
  account?: string | undefined;
  /** Id `*`: each of this kind. Of a direct chat, the person's id will do as well as the chat's. */
  peer?: { kind: ChatType; id: string; thread?: string | undefined } | undefined;
  guild?: string | undefined;
  /** The sender has one of them. */
  roles?: readonly string[] | undefined;
  team?: string | undefined;
}

export interface Binding {
  agent: string;
  match: BindingMatch;
  session?: { [scope in keyof SessionScopes]?: SessionScopes[scope] | undefined } | undefined;
  /** The option it was written as, for people to find. */
  source: string;
}

/** The first thing beside channel and peer that a binding asks for and the place is not. */
export function unmet(
  { account = '*', guild, team, roles }: BindingMatch,
  place: Place,
): 'account' | 'guild' | 'team' | 'roles' | undefined {
  if (account !== '*' && account !== place.account) return 'account';
  if (guild !== undefined && guild !== place.guild) return 'guild';
  if (team !== undefined && team !== place.team) return 'team';
  if (roles && !roles.some((role) => place.roles?.includes(role))) return 'roles';
  return undefined;
}
