import type { McpFigures } from './mcp-phase.js';
import { line } from './report-line.js';

/** For people: an MCP tool beside the official SDK that it is made with. */
export function mcpLines({ calls, bare, tool }: McpFigures): string[] {
  const cells = (of: 'first' | 'warmP50' | 'warmP99', digits: number) => [bare[of], tool[of]].map((ms) => ms.toFixed(digits));
  return [
    '',
    line(`an MCP tool, ${calls} calls`, ['SDK alone', 'as a tool']),
    line('  first call, p50, ms', cells('first', 0)),
    line('  warm call, p50, ms', cells('warmP50', 2)),
    line('  warm call, p99, ms', cells('warmP99', 2)),
  ];
}
