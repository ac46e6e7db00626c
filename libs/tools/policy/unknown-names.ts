import type { PlacedToolRules } from './decide-tool.js';
import type { PolicedTool } from './policed-tool.js';
import { means } from './tool-pattern.js';

/** A name in a policy that nothing bears: a typo, or a tool that is gone. */
export interface UnknownName {
  at: string;
  pattern: string;
}

/** Wildcards and groups mean what will be there; a name means one tool, plugin or server that is. */
export function unknownNames(tools: readonly PolicedTool[], places: readonly PlacedToolRules[]): UnknownName[] {
  return places.flatMap(({ at, rules }) =>
    (['allow', 'alsoAllow', 'deny'] as const).flatMap((option) =>
      (rules[option] ?? [])
        .filter((pattern) => !/\*|^group:/i.test(pattern) && !tools.some((tool) => means(pattern, tool)))
        .map((pattern) => ({ at: `${at}.${option}`, pattern })),
    ),
  );
}
