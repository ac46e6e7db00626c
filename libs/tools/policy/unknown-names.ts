import type { PlacedToolRules } from './decide-tool.js';
import type { PolicedTool } from './policed-tool.js';
import { means } from './tool-pattern.js';

/** A name in a policy that nothing bears: a typo, or a tool that is gone. */
export interface UnknownName {
  at: string;
  pattern: string;
}

/** What tools may belong to in any deployment, whether some do or not. */
const GROUPS =
  'turnpike openclaw plugins mcp basics messaging web fs runtime sessions memory automation media nodes ui agents'.split(' ');

/** Wildcards and these groups mean what will be there; a name means one tool, plugin, server or group that is. */
export function unknownNames(tools: readonly PolicedTool[], places: readonly PlacedToolRules[]): UnknownName[] {
  return places.flatMap(({ at, rules }) =>
    (['allow', 'alsoAllow', 'deny'] as const).flatMap((option) =>
      (rules[option] ?? [])
        .filter((pattern) => !isForLater(pattern) && !tools.some((tool) => means(pattern, tool)))
        .map((pattern) => ({ at: `${at}.${option}`, pattern })),
    ),
  );
}

function isForLater(pattern: string): boolean {
  const group = /^group:(.*)$/i.exec(pattern)?.[1];
  return group === undefined ? pattern.includes('*') : GROUPS.includes(group.toLowerCase());
}
