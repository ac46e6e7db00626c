import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ToolCallAssembler, type ToolCallDelta } from './tool-call-assembler.js';

const assemble = (deltas: ToolCallDelta[]) => {
  const assembler = new ToolCallAssembler();
  for (const delta of deltas) Array.from(assembler.add(delta));
  return assembler.finish();
};

describe('tool calls out of deltas', () => {
  test('MO-2 any cut and any interleaving of several calls gives the calls back', () => {
    const call = fc.record({
      id: fc.string({ minLength: 1 }),
      name: fc.string({ minLength: 1 }),
      pieces: fc.array(fc.string(), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), fc.infiniteStream(fc.nat()), (calls, choices) => {
        const deltas: ToolCallDelta[] = calls.map(({ id, name }, index) => ({ index, id, function: { name, arguments: '' } }));
        const queues = calls
          .map(({ pieces }, index) => ({ index, pieces: [...pieces] }))
          .filter(({ pieces }) => pieces.length > 0);
        while (queues.length > 0) {
          const at = (choices.next().value ?? 0) % queues.length;
          const queue = queues[at];
          deltas.push({ index: queue?.index, function: { arguments: queue?.pieces.shift() } });
          if (queue?.pieces.length === 0) queues.splice(at, 1);
        }
        expect(assemble(deltas)).toEqual(calls.map(({ id, name, pieces }) => ({ id, name, arguments: pieces.join('') })));
      }),
    );
  });

  test('MO-2 a server that repeats id and name in every piece makes one call', () => {
    const piece = (args: string) => ({ index: 0, id: 'a', function: { name: 'f', arguments: args } });
    expect(assemble([piece('{"x"'), piece(':1}')])).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
  });

  test('MO-2 whole calls under one index, or without any, stay apart', () => {
    const whole = (id: string, index?: number) => ({ index, id, function: { name: 'f', arguments: '{}' } });
    expect(assemble([whole('a', 0), whole('b', 0)])).toHaveLength(2);
    expect(assemble([whole('a'), whole('b')])).toHaveLength(2);
    expect(
      assemble([
        { function: { name: 'f', arguments: '{' } },
        { function: { arguments: '}' } },
        { function: { name: 'g', arguments: '{}' } },
      ]),
    ).toEqual([
      { id: '', name: 'f', arguments: '{}' },
      { id: '', name: 'g', arguments: '{}' },
    ]);
  });

  test('MO-2 two calls with the same id stay two calls, and missing fields are no error', () => {
    expect(
      assemble([
        { index: 0, id: 'a', function: { name: 'f' } },
        { index: 1, id: 'a', function: { name: 'f', arguments: null } },
      ]),
    ).toEqual([
      { id: 'a', name: 'f', arguments: '' },
      { id: 'a', name: 'f', arguments: '' },
    ]);
    expect(assemble([{ index: 0 }, { index: 0, id: null, function: null }])).toEqual([{ id: '', name: '', arguments: '' }]);
  });
});
