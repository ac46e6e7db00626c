import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mcpToolNames } from './tool-name.js';

const named = (...ids: [string, string][]): string[] => mcpToolNames(ids.map(([server, tool]) => ({ server, tool })));

describe('names of MCP tools', () => {
  test('TO-4 a tool is mcp_<server>_<tool>, in characters every provider takes', () => {
    expect(named(['files', 'read_file'], ['my server', 'größe.ändern'])).toEqual([
      'mcp_files_read_file',
      'mcp_my_server_gr_e_ndern',
    ]);
  });

  test('TO-4 T13 names that clash, or only differ in case, all get a hash of their own', () => {
    const names = named(['a', 'b_c'], ['a_b', 'c'], ['a', 'B_C'], ['x', 'y']);
    expect(names[3]).toBe('mcp_x_y');
    expect(new Set(names).size).toBe(4);
    for (const name of names.slice(0, 3)) expect(name.toLowerCase()).toMatch(/^mcp_a_b_c_[0-9a-f]{8}$/);
  });

  test('TO-4 whatever servers call their tools, names are legal, distinct without case, and the same in every order', () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 90, unit: 'binary' }),
      fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'A', '_', '.') }),
    );
    const ids = fc.uniqueArray(fc.record({ server: part, tool: part }), {
      maxLength: 30,
      selector: ({ server, tool }) => JSON.stringify([server, tool]),
    });
    fc.assert(
      fc.property(ids, (list) => {
        const names = mcpToolNames(list);
        for (const name of names) expect(name).toMatch(/^mcp_[A-Za-z0-9_-]{1,60}$/);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(list.length);
        expect(mcpToolNames(list.toReversed())).toEqual(names.toReversed());
      }),
    );
  });

  test('TO-4 a tool that calls itself like the hashed name of another one gets a hash too', () => {
    const [, hashed = ''] = named(['a', 'b_c'], ['a_b', 'c']);
    const names = named(['a', 'b_c'], ['a_b', 'c'], ['a', hashed.slice('mcp_a_'.length)]);
    expect(new Set(names).size).toBe(3);
  });
});
