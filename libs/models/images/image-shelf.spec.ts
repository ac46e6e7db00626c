import { Transformer } from '@napi-rs/image';
import { expect, test } from 'vitest';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { ChatMessage, ImageReference } from '#contracts';
import { ImageShelf } from './image-shelf.js';
import { readsImages } from './model-inputs.js';
import { SeeingProvider } from './seeing-provider.js';

const png = Buffer.from(await Transformer.fromRgbaPixels(new Uint8Array(64), 4, 4).png());
const image = (ref: string): ImageReference => ({ channel: 'chat', account: 'main', ref });
const says = (...refs: string[]): ChatMessage => ({ role: 'user', text: 'look', images: refs.map(image) });
const never = new AbortController().signal;

function world(bytesOf: (ref: string) => Buffer | Error = () => png) {
  const loaded: string[] = [];
  let now = 0;
  const source = {
    load: async ({ ref }: ImageReference) => {
      loaded.push(ref);
      const bytes = bytesOf(ref);
      if (bytes instanceof Error) throw bytes;
      return bytes;
    },
  };
  const shelf = new ImageShelf(source, { now: () => now, monotonic: () => now });
  const views = async (...messages: ChatMessage[]) => {
    const of = await shelf.views(messages, never);
    return (ref: string) => {
      const view = of(image(ref));
      return 'unseen' in view ? view.unseen : view.mime;
    };
  };
  return { shelf, loaded, views, pass: (ms: number) => void (now += ms) };
}

test('MO-4 an image is fetched once, however many steps and turns ask for it', async () => {
  const { views, loaded } = world();
  const first = await views(says('a'), { role: 'assistant', text: 'nice', toolCalls: [] });
  const second = await views(says('a', 'b'), says('a'));
  expect([first('a'), second('a'), second('b')]).toEqual(['image/png', 'image/png', 'image/png']);
  expect(loaded).toEqual(['a', 'b']);
});

test('MO-4 the newest images are shown, and of the older ones it is said that they are not', async () => {
  const { views, loaded } = world();
  const refs = Array.from({ length: 11 }, (_, n) => `i${n}`);
  const view = await views(...refs.map((ref) => says(ref)));
  expect(refs.map(view).map((each) => each === 'image/png')).toEqual(refs.map((_, n) => n >= 3));
  expect(view('i0')).toBe('only the newest 8 are');
  expect(loaded).toHaveLength(8);
});

test('MO-4 all of them together are bounded, the newer ones come first', async () => {
  // Large, and its first bytes are all that is looked at.
  const large = Buffer.concat([png, Buffer.alloc(3_800_000)]);
  const { views } = world(() => large);
  const view = await views(...['a', 'b', 'c', 'd', 'e'].map((ref) => says(ref)));
  expect(['a', 'b', 'c', 'd', 'e'].map(view)).toEqual([
    'the newer ones take all the room there is',
    'the newer ones take all the room there is',
    'image/png',
    'image/png',
    'image/png',
  ]);
});

test('MO-4 what is gone is told, and asked for again a minute later', async () => {
  let isThere = false;
  const { views, loaded, pass } = world(() => (isThere ? png : new Error('404')));
  const gone = 'it could not be fetched, it may be gone or too large';
  expect((await views(says('a')))('a')).toBe(gone);
  isThere = true;
  expect((await views(says('a')))('a')).toBe(gone);
  pass(61_000);
  expect((await views(says('a')))('a')).toBe('image/png');
  expect(loaded).toEqual(['a', 'a']);
});

test('MO-4 QU-3 a stop while an image is fetched is obeyed', async () => {
  const stop = new AbortController();
  const shelf = new ImageShelf({
    load: (_, __, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  });
  const views = shelf.views([says('a')], stop.signal);
  stop.abort(new Error('/stop'));
  await expect(views).rejects.toThrow('/stop');
});

test('MO-4 only models that read images are shown any, by their name or as configured', async () => {
  for (const model of [
    'gpt-4o-mini',
    'gpt-5.1',
    'o3',
    'claude-haiku-4-5',
    'gemini-2.5-flash',
    'llava:13b',
    'vendor/qwen2.5-vl-72b',
  ])
    expect(readsImages('p', model, {})).toBe(true);
  for (const model of ['gpt-3.5-turbo', 'o3-mini', 'llama-3.3-70b', 'deepseek-chat', 'qwen3', 'gpt-oss-120b', 'mistral-7b'])
    expect(readsImages('p', model, {})).toBe(false);
  expect(readsImages('p', 'own', { 'p/own': ['text', 'image'] })).toBe(true);
  expect(readsImages('p', 'gpt-5', { 'p/gpt-5': ['text'] })).toBe(false);

  const { shelf, loaded } = world();
  const asked: ModelRequest[] = [];
  const provider: ModelProvider = {
    id: 'p',
    async *stream(request): AsyncGenerator<ModelEvent> {
      asked.push(request);
      yield { type: 'stop', reason: 'stop' };
    },
  };
  const seeing = new SeeingProvider(provider, { shelf, readsImages: (_, model) => model === 'sees' });
  for (const [model, messages] of [
    ['sees', [says('a')]],
    ['blind', [says('a')]],
    ['sees', [{ role: 'user', text: 'hi' }]],
  ] as const)
    for await (const _ of seeing.stream({ model, system: '', tools: [], messages: [...messages] }, never));
  expect(asked.map(({ imageOf }) => imageOf !== undefined)).toEqual([true, false, false]);
  expect(loaded).toEqual(['a']);
});
