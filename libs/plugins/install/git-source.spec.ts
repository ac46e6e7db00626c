import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { pluginFolder, writePlugin } from '../../../test/plugin-folder.js';
import { gitSource } from './git-source.js';
import { removePlugin, stagePlugin } from './install-plugin.js';
import { readLock } from './plugin-lock.js';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** A bare repository, and the clone in which its plugin is written. */
class Repository {
  readonly #bare = join(pluginFolder(), 'dice.git');
  readonly work = join(pluginFolder(), 'dice');
  readonly source = `git+file://${this.#bare}`;

  constructor() {
    git('init', '--quiet', '--bare', '--initial-branch=main', this.#bare);
    git('init', '--quiet', '--initial-branch=main', this.work);
  }

  commit(version: string, refs: string[] = ['main']): string {
    const scripts = Object.fromEntries(['prepare', 'prepack', 'install'].map((name) => [name, 'touch ../ran && touch ran']));
    writePlugin(join(this.work, '..'), 'dice', {
      manifest: { version, contracts: { tools: ['roll'] } },
      code: `throw new Error('not run');`,
      files: { 'package.json': JSON.stringify({ name: 'dice', scripts }) },
    });
    this.#in('add', '.');
    const id = this.record(version);
    for (const ref of refs) this.#in('push', '--quiet', this.#bare, `HEAD:${ref}`);
    return id;
  }

  /** Of what was added, in the clone alone. */
  record(message: string): string {
    this.#in('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--no-gpg-sign', '-m', message);
    return this.#in('rev-parse', 'HEAD').trim();
  }

  #in(...args: string[]): string {
    return git('-C', this.work, ...args);
  }
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' });

async function install(directory: string, source: string) {
  const staged = await stagePlugin(directory, source);
  staged.install();
  return staged.locked;
}

describe.skipIf(!hasGit)('a plugin in a git repository', () => {
  test('TO-9 is pinned by the commit that a branch, a tag or nothing stands for, also when the branch goes on', async () => {
    const [repository, directory] = [new Repository(), join(pluginFolder(), 'installed')];
    const first = repository.commit('1.0.0', ['main', 'refs/tags/v1']);
    const then = await install(directory, repository.source);
    expect(then).toMatchObject({ commit: first, version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) });
    const second = repository.commit('2.0.0');
    const versions = [];
    for (const ref of ['main', 'refs/heads/main', second, 'v1', first, first.slice(0, 10)]) {
      const locked = await install(directory, `${repository.source}#${ref}`);
      versions.push([locked.version, locked.commit]);
    }
    const old = ['1.0.0', first];
    const young = ['2.0.0', second];
    expect(versions).toEqual([young, young, young, old, old, old]);
    expect(readLock(directory).plugins['dice']).toEqual({ ...then, source: `${repository.source}#${first.slice(0, 10)}` });
    removePlugin(directory, 'dice');
    expect(readLock(directory).plugins).toEqual({});
  });

  test('TO-9 is installed as it was committed: no script runs, no link leads out, nothing of the repository stays', async () => {
    const [repository, root] = [new Repository(), pluginFolder()];
    const directory = join(root, 'installed');
    mkdirSync(join(repository.work, 'deep'));
    for (const link of ['passwd', 'deep/passwd']) symlinkSync('/etc/passwd', join(repository.work, link));
    repository.commit('1.0.0');
    await install(directory, repository.source);
    const here = ['index.mjs', 'ran', '../ran', '.git', 'passwd', 'deep/passwd', '../repository', '../repository.tar'];
    expect(here.filter((name) => existsSync(join(directory, 'dice', name)))).toEqual(['index.mjs']);
    const shown = await stagePlugin(directory, repository.source);
    shown.discard();
    expect(shown.found.manifest.contracts.tools).toEqual(['roll']);
  });

  test('TO-9 that is not there, has no such commit or no manifest is refused by name, and leaves nothing', async () => {
    const [repository, directory] = [new Repository(), pluginFolder()];
    const { source } = repository;
    await expect(stagePlugin(directory, source)).rejects.toThrow(/has no commit, branch or tag HEAD$/);
    repository.commit('1.0.0');
    for (const ref of ['nowhere', 'f'.repeat(40), 'v9'])
      await expect(stagePlugin(directory, `${source}#${ref}`)).rejects.toThrow(`has no commit, branch or tag ${ref}`);
    await expect(stagePlugin(directory, 'git+file:///nowhere.git')).rejects.toThrow(
      /cannot be fetched: .*does not (appear|exist)/,
    );
    git('-C', repository.work, 'rm', '--quiet', 'turnpike.plugin.json');
    const gone = repository.record('gone');
    await expect(stagePlugin(directory, `git+file://${repository.work}#${gone}`)).rejects.toThrow('no turnpike.plugin.json');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('TO-9 says so when the machine has no git', async () => {
    vi.stubEnv('PATH', pluginFolder());
    try {
      await expect(stagePlugin(pluginFolder(), 'git+file:///dice.git')).rejects.toThrow('there is no git on this machine');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

test('TO-9 a repository in a spelling of npm, with a password, or by a transport that runs commands is refused', () => {
  for (const source of [
    'github:user/dice',
    'user/dice#main',
    'git@example.com:dice.git',
    'https://example.com/dice.git',
    'https://github.com/user/dice',
    'dice@git+https://example.com/dice.git',
    'git+http://example.com/dice.git',
    'git+ext::sh -c true',
    'git+https://example.com/dice.git#--output=x',
  ])
    expect(() => gitSource(source), source).toThrow('a repository is written git+https://');
  for (const source of [
    'git+https://user:hunter2@example.com/dice.git',
    'git+https://hunter2@example.com/dice.git#main',
    'git+ssh://git:hunter2@example.com/dice.git',
  ]) {
    expect(() => gitSource(source)).toThrow('leave the password out');
    expect(() => gitSource(source)).not.toThrow('hunter2');
  }
  for (const source of ['dice', 'dice@1.0.0', '@scope/dice@^1', 'file:../dice', 'https://example.com/dice.tgz'])
    expect(gitSource(source), source).toBeUndefined();
  expect(gitSource('git+ssh://git@example.com/dice.git#v1')).toEqual({ url: 'ssh://git@example.com/dice.git', ref: 'v1' });
});
