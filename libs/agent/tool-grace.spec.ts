import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { delay, LeaseLostError, type SessionKey } from '#kernel';
import { proves } from '../../test/proves.js';
import type { Tool } from './index.js';
import { TurnWorld } from './turn-world.fixture.js';

type Options = Parameters<TurnWorld['addTool']>[3];

const result = (text: string) => ({ text, isError: false });
const toolTexts = (world: TurnWorld): string[] =>
  world.progress.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));

function turnWith(
  execute: Tool['execute'],
  options: Options,
): { world: TurnWorld; abandoned: string[]; run: () => Promise<unknown> } {
  const world = new TurnWorld((step) => (step === 1 ? { calls: [{ name: 'slow', id: 'a' }] } : { text: 'done' }));
  world.addTool('slow', 'once', execute, options);
  const abandoned: string[] = [];
  return { world, abandoned, run: () => world.run({}, { toolAbandoned: (tool) => void abandoned.push(tool) }) };
}

const fired = (signal: AbortSignal): Promise<unknown> => (signal.aborted ? Promise.resolve() : once(signal, 'abort'));

describe('a tool at its time limit', () => {
  proves('TU-4', 'may end by itself within its grace, and its result counts', async () => {
    const { world, abandoned, run } = turnWith(
      async (_args, _context, signal) => {
        await fired(signal);
        await delay(10);
        return result('half of it');
      },
      { timeoutMs: 20, graceMs: 60_000 },
    );
    await run();
    expect([toolTexts(world), abandoned]).toEqual([['half of it'], []]);
  });

  proves('TU-4', 'that throws within its grace has timed out, and is not waited for longer', async () => {
    const { world, abandoned, run } = turnWith(
      async (_args, _context, signal) => {
        await fired(signal);
        throw new Error('aborted');
      },
      { timeoutMs: 20, graceMs: 60_000 },
    );
    await run();
    expect([toolTexts(world), abandoned]).toEqual([['slow did not finish within 0.02 s and was stopped.'], []]);
  });

  proves('TU-4', 'that ignores its signal is abandoned after its grace, counted, and its late result is dropped', async () => {
    const late = Promise.withResolvers<ReturnType<typeof result>>();
    const { world, abandoned, run } = turnWith(() => late.promise, { timeoutMs: 20, graceMs: 30 });
    await run();
    late.resolve(result('too late'));
    await late.promise;
    expect([toolTexts(world), abandoned]).toEqual([['slow did not finish within 0.02 s and was stopped.'], ['slow']]);
    expect(JSON.stringify(world.journal)).not.toContain('too late');
  });
});

proves(
  ['TU-4', 'QU-3'],
  'a stopped turn waits for no grace: what its tool still says is dropped, and counted when it goes on',
  async () => {
    const reason = new Error('/stop');
    const late = Promise.withResolvers<ReturnType<typeof result>>();
    const { world, abandoned, run } = turnWith(
      () => {
        queueMicrotask(() => world.stop.abort(reason));
        return late.promise;
      },
      { graceMs: 50 },
    );
    await expect(run()).rejects.toBe(reason);
    expect([toolTexts(world), abandoned]).toEqual([[], []]);
    await expect.poll(() => abandoned).toEqual(['slow']);
    late.resolve(result('too late'));
    expect(world.journal.map(({ k }) => k)).toEqual(['answer', 'started']);
  },
);

describe('what a tool started with its signal', () => {
  const reasons: [why: string, stop: ((world: TurnWorld) => void) | undefined][] = [
    ['cancelled', (world) => world.stop.abort(new Error('/stop'))],
    ['handed back', (world) => world.stop.abort(new Error('this process stops'))],
    ['taken away', (world) => world.stop.abort(new LeaseLostError('s' as SessionKey, 'lock'))],
    ['timed out', undefined],
  ];
  for (const [why, stop] of reasons) {
    proves(['TU-4', 'QU-3'], `a child process and a socket die with it when it is ${why}`, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      let child: ChildProcess | undefined;
      const { world, run } = turnWith(
        async (_args, _context, signal) => {
          child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { signal, stdio: 'ignore' });
          child.on('error', () => undefined);
          const exited = once(child, 'exit');
          const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', signal });
          await once(socket, 'connect');
          socket.on('error', () => undefined);
          stop?.(world);
          await exited;
          return result('ended');
        },
        { ...(stop === undefined && { timeoutMs: 500 }) },
      );
      const ran = run().catch(() => 'stopped');
      const [peer] = await accepted;
      peer.resume().on('error', () => undefined);
      await Promise.all([ran, once(peer, 'close')]);
      await expect.poll(() => child?.exitCode !== null || child.signalCode !== null).toBe(true);
    });
  }
});
