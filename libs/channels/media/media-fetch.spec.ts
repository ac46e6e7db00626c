import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { TerminalError, TransientError } from '#kernel';
import { MediaFetch, type ResolveHost } from './media-fetch.js';

const limits = { maxBytes: 1000, timeoutMs: 5000 };
const signal = new AbortController().signal;

interface Site {
  origin: string;
  seen: IncomingMessage[];
}

async function site(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Site> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { origin: `http://127.0.0.1:${address.port}`, seen };
}

const fetchFrom = ({ origin }: Site, path: string, headers?: Record<string, string>) =>
  new MediaFetch({ trustedOrigins: [origin] }).fetch({ url: origin + path, ...(headers && { headers }) }, limits, signal);

test('OUT-6 bytes, type and name come as the other side says', async () => {
  const cat = await site((_, response) =>
    response.writeHead(200, { 'content-type': 'Image/PNG; x=1' }).end(Buffer.from([1, 2, 255])),
  );
  expect(await fetchFrom(cat, '/a/my%20cat.png?token=x')).toEqual({
    bytes: Buffer.from([1, 2, 255]),
    mime: 'image/png',
    name: 'my cat.png',
  });
  expect(await fetchFrom(cat, '/..%2F..%5Cpasswd%00')).toMatchObject({ name: '.._.._passwd_' });
});

test.each([
  ['http://media.example/x', 'not https'],
  ['https://127.0.0.1/x', 'no address of the internet'],
  ['https://0x7f.1/x', 'no address of the internet'],
  ['https://[::1]/x', 'no address of the internet'],
  ['https://[::ffff:10.0.0.1]/x', 'no address of the internet'],
  ['https://169.254.169.254/latest/meta-data', 'no address of the internet'],
  ['file:///etc/passwd', 'not https'],
  ['data:text/plain,x', 'not https'],
  ['no address', 'not a URL'],
])('OUT-6 %s is refused before a byte leaves', async (url, why) => {
  const asked = new MediaFetch().fetch({ url }, limits, signal);
  await expect(asked).rejects.toThrow(why);
  await expect(asked).rejects.toMatchObject({ code: 'media_refused' });
});

test('OUT-6 a name is judged by the address that is connected to, each time, and one bad address spoils it', async () => {
  const answers = [['10.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::1']];
  const asked: string[] = [];
  const resolve: ResolveHost = async (host) => {
    asked.push(host);
    return (answers.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const media = new MediaFetch({ resolve });
  for (const _ of [1, 2, 3])
    await expect(media.fetch({ url: 'https://rebind.example/x' }, limits, signal)).rejects.toThrow(TerminalError);
  await expect(media.fetch({ url: 'https://rebind.example/x' }, limits, signal)).rejects.toThrow(TransientError);
  expect(asked).toEqual(Array.from({ length: 4 }, () => 'rebind.example'));
});

test('OUT-6 the address of a trusted name is looked up once and connected to', async () => {
  const cat = await site((_, response) => response.end('cat'));
  const origin = cat.origin.replace('127.0.0.1', 'media.example');
  let asked = 0;
  const resolve: ResolveHost = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  const { bytes } = await new MediaFetch({ trustedOrigins: [origin], resolve }).fetch({ url: `${origin}/x` }, limits, signal);
  expect([bytes.toString(), asked]).toEqual(['cat', 1]);
});

test('OUT-6 a redirect is judged like an address, and takes no token to another origin', async () => {
  const cat = await site((_, response) => response.end('cat'));
  const door = await site((request, response) => response.writeHead(302, { location: request.url?.slice(1) }).end());
  const media = new MediaFetch({ trustedOrigins: [door.origin, cat.origin] });
  const source = { url: `${door.origin}/${cat.origin}/x`, headers: { authorization: 'Bearer secret' } };
  expect((await media.fetch(source, limits, signal)).bytes.toString()).toBe('cat');
  expect(door.seen[0]?.headers.authorization).toBe('Bearer secret');
  expect(cat.seen[0]?.headers.authorization).toBeUndefined();
  await expect(fetchFrom(door, `/${cat.origin}/x`)).rejects.toThrow('not https');
  await expect(fetchFrom(door, '/https://10.0.0.1/x')).rejects.toThrow('no address of the internet');
  const loop = await site((_, response) => response.writeHead(307, { location: '/again' }).end());
  await expect(fetchFrom(loop, '/x')).rejects.toThrow('redirects more than 3 times');
  expect(loop.seen).toHaveLength(4);
});

test('OUT-6 what is too large is given up at once, announced or not', async () => {
  const announced = await site((_, response) => response.writeHead(200, { 'content-length': 1001 }).flushHeaders());
  await expect(fetchFrom(announced, '/x')).rejects.toThrow('more than 1000 bytes');
  const endless = await site((_, response) => {
    const more = (): void => void (response.write(Buffer.alloc(600)) && setImmediate(more));
    more();
    response.on('drain', more);
  });
  await expect(fetchFrom(endless, '/x')).rejects.toThrow('more than 1000 bytes');
  const full = await site((_, response) => response.end(Buffer.alloc(1000)));
  expect((await fetchFrom(full, '/x')).bytes).toHaveLength(1000);
});

test('OUT-6 gone is for good, trouble may pass, and no message holds the path', async () => {
  const [gone, trouble] = [404, 503].map((status) => site((_, response) => response.writeHead(status).end()));
  const torn = await site((_, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('half');
    setImmediate(() => response.destroy());
  });
  const hanging = await site((_, response) => response.flushHeaders());
  const outcome = async (from: Site | undefined, timeoutMs = 5000) =>
    new MediaFetch({ trustedOrigins: [from?.origin ?? ''] })
      .fetch({ url: `${from?.origin}/secret-path` }, { maxBytes: 10, timeoutMs }, signal)
      .catch((error: unknown) => error);
  const all = [await outcome(await gone), await outcome(await trouble), await outcome(torn), await outcome(hanging, 100)];
  expect(all.map((error) => error instanceof TerminalError)).toEqual([true, false, false, false]);
  expect(all.map((error) => error instanceof TransientError)).toEqual([false, true, true, true]);
  expect(all.map(String).join(' ')).not.toContain('secret-path');
});

test('OUT-6 whoever asked may stop it', async () => {
  const hanging = await site((_, response) => response.flushHeaders());
  const stop = new AbortController();
  const asked = new MediaFetch({ trustedOrigins: [hanging.origin] }).fetch({ url: `${hanging.origin}/x` }, limits, stop.signal);
  await expect.poll(() => hanging.seen.length).toBe(1);
  stop.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});
