import type { PolicedTool } from './policed-tool.js';
import { isNamed, means } from './tool-pattern.js';
import type { ToolRule } from './tool-rule.js';

/** `tools.invoke` of the configuration. */
export interface InvokeRules {
  allow: readonly string[];
  deny: readonly string[];
}

/**
 * Acts on the host or on other sessions: whoever has stolen a token could do with it what no chat would let him. By name too,
 * since a plugin need not say which group its tool belongs to.
 */
const DANGEROUS = [
  'exec',
  'process',
  'shell',
  'bash',
  'spawn',
  'code_execution',
  'terminal',
  'fs_*',
  'write',
  'edit',
  'apply_patch',
  'sessions_spawn',
  'sessions_send',
  'subagents',
  'conversations_send',
  'conversations_turn',
  'cron',
  'automations',
  'gateway',
  'nodes',
  'computer',
  'group:runtime',
  'group:fs',
  'group:sessions',
  'group:automation',
  'group:nodes',
];

/** The rules beyond those of a turn, for a call from outside (TO-6). */
export function fromOutside(tool: PolicedTool, { allow, deny }: InvokeRules): ToolRule[] {
  const denied = deny.find((pattern) => means(pattern, tool));
  const said: ToolRule[] = [];
  if (denied !== undefined)
    said.push({ says: 'denies', because: `denied by ${JSON.stringify(denied)}`, at: 'tools.invoke.deny' });
  if (!DANGEROUS.some((pattern) => means(pattern, tool))) return said;
  if (allow.some((pattern) => isNamed(pattern, tool)))
    return [...said, { says: 'allows', because: 'dangerous from outside, and named', at: 'tools.invoke.allow' }];
  return [...said, { says: 'denies', because: 'dangerous from outside: name it there to allow it', at: 'tools.invoke.allow' }];
}
