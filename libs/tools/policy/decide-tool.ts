import type { PolicedTool } from './policed-tool.js';
import { isNamed, means } from './tool-pattern.js';
import { TOOL_PROFILES, type ToolProfile } from './tool-profiles.js';

/** What one place says. */
export interface ToolRules {
  profile?: ToolProfile | undefined;
  allow?: readonly string[] | undefined;
  alsoAllow: readonly string[];
  deny: readonly string[];
}

/** With the path of the place in the configuration. */
export interface PlacedToolRules {
  at: string;
  rules: ToolRules;
}

/** Whether somebody has a tool, why, and which option says so; no option: the tool says it itself, or nothing does. */
export interface ToolVerdict {
  visible: boolean;
  because: string;
  at?: string;
}

/**
 * The tools policy (TO-7). Every place holds, so each can only narrow what the others leave; what one denies, none gives back.
 * A tool that is optional has to be named by some place; one for owners is for owners alone.
 * @param isOwner everybody whose words the turn answers is one
 */
export function decideTool(tool: PolicedTool, places: readonly PlacedToolRules[], isOwner: boolean): ToolVerdict {
  for (const { at, rules } of places) {
    const pattern = rules.deny.find((one) => means(one, tool));
    if (pattern !== undefined) return { visible: false, because: `denied by ${quoted(pattern)}`, at: `${at}.deny` };
  }
  for (const place of places) {
    const verdict = narrowed(tool, place);
    if (verdict) return verdict;
  }
  if (tool.ownerOnly && !isOwner) return { visible: false, because: 'for owners alone (access.owners)' };
  const naming = tool.optional ? places.find(({ rules }) => names(rules, tool)) : undefined;
  if (tool.optional && !naming)
    return { visible: false, because: 'optional: no allow or alsoAllow names it, its plugin, its server or its group' };
  if (naming) return { visible: true, because: 'named', at: naming.at };
  return { visible: true, because: places.length > 0 ? 'allowed wherever something is said' : 'nothing is said about tools' };
}

function narrowed(tool: PolicedTool, { at, rules }: PlacedToolRules): ToolVerdict | undefined {
  const { profile, allow, alsoAllow } = rules;
  const has = (patterns: readonly string[]): boolean => patterns.some((pattern) => means(pattern, tool));
  if (has(alsoAllow)) return undefined;
  if (profile !== undefined && !has(TOOL_PROFILES[profile]))
    return { visible: false, because: `not in the profile ${profile}`, at: `${at}.profile` };
  if (allow && !has(allow)) return { visible: false, because: 'not in the list of what is allowed', at: `${at}.allow` };
  return undefined;
}

function names({ allow = [], alsoAllow }: ToolRules, tool: PolicedTool): boolean {
  return [...allow, ...alsoAllow].some((pattern) => isNamed(pattern, tool));
}

function quoted(pattern: string): string {
  return JSON.stringify(pattern);
}
