import { canonicalJson } from './canonical-json.js';
import type { RunningTurn } from './running-turn.js';
import type { Tool, ToolResult } from './tool-port.js';
import type { SharedCall } from './turn-port.js';

/** Nothing is read once this turn may have changed what the tools read: its own writes are seen. */
export async function readShared(turn: RunningTurn, tool: Tool, args: string): Promise<ToolResult | undefined> {
  const { deps, reusable, input } = turn;
  if (!isShared(tool) || reusable.isStale) return undefined;
  const text = await deps.sharedResults?.read(callOf(input.tenant, tool, args)).catch(() => undefined);
  return text === undefined ? undefined : { text, isError: false };
}

/** Does not wait and does not fail. */
export function writeShared({ deps, input }: RunningTurn, tool: Tool, args: string, { text, isError, asks }: ToolResult): void {
  if (!isShared(tool) || isError || asks) return;
  deps.sharedResults?.write(callOf(input.tenant, tool, args), text, tool.cacheTtlMs).catch(() => undefined);
}

function isShared(tool: Tool): tool is Tool & { cacheTtlMs: number } {
  return tool.cacheTtlMs !== undefined && tool.effect === 'pure' && !tool.volatile;
}

function callOf(tenant: string, { name, description, parameters }: Tool, args: string): SharedCall {
  return { tenant, tool: name, version: JSON.stringify([description, parameters]), arguments: canonicalJson(args) };
}
