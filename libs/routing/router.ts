import { InvalidInputError, type AgentId, type SessionKey, type TenantId } from '#kernel';
import { unmet, type Binding } from './binding.js';
import type { Place } from './place.js';
import { apiSessionKey, chatSessionKey, type SessionScopes } from './session-key.js';
import { TIERS, type MatchedBy } from './tiers.js';

/** What one tenant says about routing. */
export interface RoutingRules {
  tenant: string;
  /** The earlier one wins where two of a tier match. */
  bindings: readonly Binding[];
  /** For whatever no binding matches. */
  fallback: { agent: string; source: string } | undefined;
  session: SessionScopes & {
    /** person -> `<channel>:<id>` */
    identityLinks: Readonly<Record<string, readonly string[]>>;
  };
}

export interface Route {
  tenant: TenantId;
  agent: AgentId;
  session: SessionKey;
  matchedBy: MatchedBy;
  /** The option that decided, or "the only agent". */
  source: string;
}

interface Owner {
  agent: AgentId;
  matchedBy: MatchedBy;
  source: string;
  scopes: SessionScopes;
}

interface Filed {
  binding: Binding;
  order: number;
}

/** The rules of one tenant, made once per configuration: a message costs some look-ups, however many bindings there are (RT-1). */
export class Router {
  private readonly tenant: TenantId;
  /** By tier. */
  private readonly files: ReadonlyMap<string, Filed[]>[];
  private readonly persons: ReadonlyMap<string, string>;

  constructor(private readonly rules: RoutingRules) {
    this.tenant = rules.tenant as TenantId;
    const filed = rules.bindings.map((binding, order) => ({ binding, order }));
    this.files = TIERS.map(({ of }) => Map.groupBy(filed, ({ binding: { match } }) => labelText(match.channel, of(match))));
    const links = Object.entries(rules.session.identityLinks);
    this.persons = new Map(links.flatMap(([person, ids]) => ids.map((id) => [id, person] as const)));
  }

  /** Of a chat message. @throws InvalidInputError nobody owns it, or its ids make no key */
  route(place: Place): Route {
    const { scopes, ...owner } = this.owner(place);
    const { tenant } = this;
    return { tenant, ...owner, session: chatSessionKey({ tenant, agent: owner.agent }, place, scopes, this.persons) };
  }

  /** Of a session that a caller of the API or the web chat names: the name is the session, whatever the scopes say. @throws like route */
  routeNamed(name: string): Route {
    const { tenant } = this;
    const { agent, matchedBy, source } = this.owner({
      channel: 'webchat',
      account: 'default',
      chatType: 'direct',
      conversation: name,
    });
    return { tenant, agent, matchedBy, source, session: apiSessionKey(tenant, agent, name) };
  }

  private owner(place: Place): Owner {
    const { fallback, session } = this.rules;
    for (const [i, { rule, at }] of TIERS.entries()) {
      const found = at(place)
        .flatMap((label) => this.files[i]?.get(labelText(place.channel, label)) ?? [])
        .toSorted((a, b) => a.order - b.order)
        .find(({ binding }) => unmet(binding.match, place) === undefined)?.binding;
      if (!found) continue;
      const dmScope = found.session?.dmScope ?? session.dmScope;
      const groupScope = found.session?.groupScope ?? session.groupScope;
      return { agent: found.agent as AgentId, matchedBy: rule, source: found.source, scopes: { dmScope, groupScope } };
    }
    if (!fallback)
      throw new InvalidInputError(
        `No agent owns messages of ${place.channel} account ${place.account}; add a binding for it, or set defaultAgent`,
      );
    return { agent: fallback.agent as AgentId, matchedBy: 'default', source: fallback.source, scopes: session };
  }
}

/** JSON, because ids may hold any character. A binding of another tier has a label that nobody looks under. */
function labelText(channel: string, label: readonly (string | undefined)[] | undefined): string {
  return label ? JSON.stringify([channel, ...label.map((part) => part ?? null)]) : '';
}
