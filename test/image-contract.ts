import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ImageView, ModelRequest, SeenImage } from '#agent';
import type { ChatMessage } from '#contracts';
import { answers, collect, REQUEST, serve, type ModelContract } from './fakes/hostile-model-server.js';

/** Its kind; undefined: it is gone. */
const kind = fc.constantFrom('image/jpeg', 'image/png', 'image/webp', 'image/gif', undefined);
const shown = fc.array(kind, { maxLength: 3 });
const viewOf = (mime: SeenImage['mime'] | undefined, nth: number): ImageView =>
  mime ? { mime, base64: Buffer.from(`image ${String(nth).padStart(3, '0')}`).toString('base64') } : { unseen: 'it is gone' };
const turn = fc.record({ text: fc.constantFrom('', 'look', '[image]'), kinds: shown, isAnswered: fc.boolean() });

/** Images, shown or told of, and no request is refused for one (MO-4). */
export function imageContract(name: string, contract: ModelContract): void {
  const { wire } = contract;

  async function server() {
    const bodies: string[] = [];
    const { provider } = await serve(contract, (response, body, request) => {
      bodies.push(body);
      answers(wire, ...wire.opening(), wire.text('ok'), ...wire.closing('stop'))(response, body, request);
    });
    /** @param request with its own `imageOf`, or without: a model that reads none */
    return async (messages: ChatMessage[], imageOf?: ModelRequest['imageOf']): Promise<string> => {
      await collect(provider, { ...REQUEST, messages, imageOf });
      return bodies.at(-1) ?? '';
    };
  }

  describe(`images of the model contract: ${name}`, () => {
    test('MO-4 whatever is shown, a strict server accepts the request; each image is in it, or the text says why not', async () => {
      const send = await server();
      const property = fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), async (turns) => {
        const views = turns.flatMap(({ kinds }) => kinds).map(viewOf);
        let count = 0;
        const messages = turns.flatMap(({ text, kinds, isAnswered }): ChatMessage[] => [
          { role: 'user', text, images: kinds.map(() => ({ channel: 'c', account: 'a', ref: String(count++) })) },
          ...(isAnswered ? [{ role: 'assistant' as const, text: 'ok', toolCalls: [] }] : []),
        ]);
        const body = await send(
          [...messages, { role: 'user', text: 'and now?' }],
          ({ ref }) => views[Number(ref)] ?? expect.fail(),
        );
        expect(wire.problems(JSON.parse(body))).toEqual([]);
        const missing = views.filter((each) => 'unseen' in each || !body.includes(each.base64));
        expect(body.split('is not shown: ').length - 1).toBe(missing.length);
        for (const each of missing) expect('unseen' in each || wire.kinds?.includes(each.mime) === false).toBe(true);
      });
      await fc.assert(property, { numRuns: 80 });
    });

    test('MO-4 a model that reads no images reads that there was one; without images nothing changes', async () => {
      const send = await server();
      const image = { channel: 'c', account: 'a', ref: 'r' };
      const blind = await send([{ role: 'user', text: 'look', images: [image, image] }]);
      expect(wire.problems(JSON.parse(blind))).toEqual([]);
      expect(blind).toContain('look\\n[Image 1 is not shown: this model reads no images.]\\n[Image 2 is not shown');
      const plain: ChatMessage[] = [{ role: 'user', text: 'hi' }];
      expect(await send(plain, () => expect.fail())).toBe(await send(plain));
    });
  });
}
