import type { PolicedTool } from './policed-tool.js';
import { means } from './tool-pattern.js';

/** Act on the host or on other sessions: whoever has stolen a token could do with them what no chat would let him. */
const DANGEROUS = ['group:runtime', 'group:fs', 'group:sessions', 'group:automation', 'group:nodes'];

export interface InvokeRules {
  allow: readonly string[];
  deny: readonly string[];
}

/** Whether somebody who has a tool may also invoke it over HTTP (TO-6). */
export function isInvokable(tool: PolicedTool, { allow, deny }: InvokeRules): boolean {
  const has = (patterns: readonly string[]): boolean => patterns.some((pattern) => means(pattern, tool));
  return !has(deny) && (!has(DANGEROUS) || has(allow));
}
