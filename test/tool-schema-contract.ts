import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answers, collect, REQUEST, serve, type ModelContract } from './fakes/hostile-model-server.js';
import { allowed, nasty } from './tool-schema-arbitraries.js';

/** Tools of every make, and no request is refused for one of them (MO-4). */
export function toolSchemaContract(name: string, contract: ModelContract): void {
  const { wire } = contract;

  describe(`tool schemas of the model contract: ${name}`, () => {
    test.each([
      ['well made', allowed.map(({ schema }) => schema)],
      ['badly made', nasty],
    ])('MO-4 whatever the parameters of a tool, a strict server accepts the request: %s', async (_, schemas) => {
      let problems: string[] = [];
      const { provider } = await serve(contract, (response, body, request) => {
        problems = wire.problems(JSON.parse(body));
        answers(wire, ...wire.opening(), wire.text('ok'), ...wire.closing('stop'))(response, body, request);
      });
      await fc.assert(
        fc.asyncProperty(fc.array(schemas, { minLength: 1, maxLength: 8 }), async (parameters) => {
          const tools = parameters.map((each, n) => ({ name: `tool-${n}`, description: 'd', parameters: each }));
          await collect(provider, { ...REQUEST, tools });
          expect(problems).toEqual([]);
        }),
        { numRuns: 100 },
      );
    });
  });
}
