import { fromOutside, type InvokeRules } from './from-outside.js';
import type { PolicedTool } from './policed-tool.js';
import { isNamed, means } from './tool-pattern.js';
import { TOOL_PROFILES, type ToolProfile } from './tool-profiles.js';
import type { ToolRule } from './tool-rule.js';

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

export interface ToolAsker {
  /** Everybody whose words are acted on owns the agent. */
  isOwner: boolean;
  /** Called from outside, with no turn around it (POST /tools/invoke): tools.invoke of the configuration. */
  invoke?: InvokeRules;
}

/** Whether somebody has a tool, why, and which option says so; no option: the tool says it itself, or nothing does. */
export interface ToolVerdict {
  visible: boolean;
  because: string;
  at?: string;
}

/**
 * The tools policy (TO-7). Every place holds, so each can only narrow what the others leave; what one denies, none gives back.
 * A tool that is optional has to be named by some place; one for owners is for owners alone; one that is dangerous from outside
 * has to be named for that.
 */
export function decideTool(tool: PolicedTool, places: readonly PlacedToolRules[], asker: ToolAsker): ToolVerdict {
  const rules = ruleByRule(tool, places, asker);
  const against = rules.find(({ says }) => says === 'denies') ?? rules.find(({ says }) => says === 'leaves out');
  const { because, at } = against ?? rules.findLast(({ because: why }) => why === NAMED) ?? silence(places);
  return { visible: against === undefined, because, ...(at !== undefined && { at }) };
}

/** Every rule that says something of a tool, in their order: the first that denies decides, else the first that leaves it out. */
export function ruleByRule(tool: PolicedTool, places: readonly PlacedToolRules[], asker: ToolAsker): ToolRule[] {
  return [
    ...places.flatMap((place) => rulesOf(tool, place)),
    ...(tool.ownerOnly ? [forOwners(asker)] : []),
    ...(tool.optional ? [naming(tool, places)] : []),
    ...(asker.invoke ? fromOutside(tool, asker.invoke) : []),
  ];
}

const NAMED = 'named';

function silence(places: readonly PlacedToolRules[]): Omit<ToolRule, 'says'> {
  return { because: places.length > 0 ? 'allowed wherever something is said' : 'nothing is said about tools' };
}

function rulesOf(tool: PolicedTool, { at, rules }: PlacedToolRules): ToolRule[] {
  const { profile, allow, alsoAllow, deny } = rules;
  const find = (patterns: readonly string[]): string | undefined => patterns.find((pattern) => means(pattern, tool));
  const denied = find(deny);
  const also = find(alsoAllow);
  const said: ToolRule[] =
    denied === undefined ? [] : [{ says: 'denies', because: `denied by ${quoted(denied)}`, at: `${at}.deny` }];
  if (also !== undefined) return [...said, { says: 'allows', because: `allowed by ${quoted(also)}`, at: `${at}.alsoAllow` }];
  if (profile !== undefined) said.push(ofList(find(TOOL_PROFILES[profile]), `in the profile ${profile}`, `${at}.profile`));
  if (allow) said.push(ofList(find(allow), 'in the list of what is allowed', `${at}.allow`));
  return said;
}

function ofList(found: string | undefined, where: string, at: string): ToolRule {
  return found === undefined ? { says: 'leaves out', because: `not ${where}`, at } : { says: 'allows', because: where, at };
}

function forOwners({ isOwner }: ToolAsker): ToolRule {
  return isOwner
    ? { says: 'allows', because: 'for owners, and this is one', at: 'access.owners' }
    : { says: 'leaves out', because: 'for owners alone (access.owners)' };
}

function naming(tool: PolicedTool, places: readonly PlacedToolRules[]): ToolRule {
  const place = places.find(({ rules: { allow = [], alsoAllow } }) => [...allow, ...alsoAllow].some((one) => isNamed(one, tool)));
  return place
    ? { says: 'allows', because: NAMED, at: place.at }
    : { says: 'leaves out', because: 'optional: no allow or alsoAllow names it, its plugin, its server or its group' };
}

function quoted(pattern: string): string {
  return JSON.stringify(pattern);
}
