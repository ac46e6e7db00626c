import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { delay } from '#kernel';
import { ProcessGroup } from './process-group.js';

const start = (script: string) => ProcessGroup.start({ command: 'sh', args: ['-c', script], env: {} });

/** Those that still run. What has ended and waits for init to notice runs no more. */
function alive(pids: readonly number[]): number[] {
  return pids.filter((pid) => exists(pid) && !isZombie(pid));
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  try {
    return / Z \d/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function firstLine(group: ProcessGroup): Promise<string> {
  const [chunk] = await once(group.stdout, 'data');
  return String(chunk).trim();
}

async function gone(pids: readonly number[]): Promise<number[]> {
  const deadline = performance.now() + 20_000;
  while (alive(pids).length > 0 && performance.now() < deadline) await delay(20);
  return alive(pids);
}

describe('programs and all they start', () => {
  test('TO-4 B044 a program that ignores SIGTERM and forks is ended with its children, and leaves no zombie', async () => {
    const group = await start("trap '' TERM; sleep 600 & echo $!; while :; do sleep 600; done");
    const child = Number(await firstLine(group));
    expect(alive([group.pid, child])).toEqual([group.pid, child]);
    await group.end();
    expect([alive([child]), exists(group.pid)]).toEqual([[], false]);
  });

  test('TO-4 B044 children that outlive their parent are ended too', async () => {
    const group = await start('sleep 600 & echo $!');
    const child = Number(await firstLine(group));
    expect(await group.exited).toEqual({ how: 'ended with code 0', lastWords: '' });
    expect(alive([child])).toEqual([child]);
    await group.end();
    expect(alive([child])).toEqual([]);
  });

  test('TO-4 one that ends by the end of its input is not signalled, and what it last wrote tells why it ended', async () => {
    const group = await start('read line; echo "no key is set" >&2; exit 3');
    await group.end();
    expect(await group.exited).toEqual({ how: 'ended with code 3', lastWords: 'no key is set' });
    const missing = await ProcessGroup.start({ command: 'no-such-program', args: [], env: {} });
    expect(await missing.exited).toEqual({ how: 'ended with code 127', lastWords: expect.stringContaining('no-such-program') });
    await missing.end();
  });

  test('TO-4 it sees the variables it was given and no others', async () => {
    const group = await ProcessGroup.start({ command: 'env', args: [], env: { OWN: '1' } });
    const seen = (await firstLine(group)).split('\n').map((line) => line.split('=', 1)[0] ?? '');
    // The rest is the shell's own.
    expect(seen.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual(['OWN']);
    await group.end();
  });

  test('TO-4 B044 no orphan after 50 kills of the process that started them, at whatever moment', async () => {
    const fixture = fileURLToPath(new URL('process-group.fixture.mjs', import.meta.url));
    const started: number[] = [];
    for (let kill = 0; kill < 50; kill += 1) {
      const early = kill % 2 === 1 ? ['early'] : [];
      const parent = spawn(process.execPath, [fixture, ...early], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(parent.stdout, 'data');
      parent.kill('SIGKILL');
      started.push(...String(line).trim().split(' ').map(Number));
    }
    expect(started.filter((pid) => pid > 1)).toHaveLength(75);
    expect(await gone(started)).toEqual([]);
  });
});
