import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { InvalidInputError } from '#kernel';

const run = promisify(execFile);

/** A repository, and what of it: a commit, branch or tag; the branch it opens with when nothing is named. */
export interface GitSource {
  url: string;
  ref: string;
}

const SPELLING = 'git+https://host/path.git#commit (or git+ssh:, git+file:)';
/** What npm takes for a repository. It would pin no commit. */
const NPM_GIT = [
  /(^|@)(git|ssh|github|gitlab|bitbucket|gist|git\+\w+):/,
  /^git@|\.git(#|$)/,
  /^https:\/\/(www\.)?(github\.com|gitlab\.com|bitbucket\.org)\/[^/#]+\/[^/#]+\/?(#|$)/,
  /^[\w-][\w.-]*\/[\w.-]+(#|$)/,
];
/** Neither an option of git nor the transport `ext::`, which runs a command. */
const REPOSITORY = /^git\+(?<url>(https|ssh|file):\/\/[^#\s]+)(#(?<ref>\w[\w./+-]*))?$/;

/** Undefined: it is no repository. Throws InvalidInputError where it is one and cannot be fetched as it is written. */
export function gitSource(source: string): GitSource | undefined {
  if (!NPM_GIT.some((spelling) => spelling.test(source))) return undefined;
  const { url, ref = 'HEAD' } = REPOSITORY.exec(source)?.groups ?? {};
  if (url === undefined || !URL.canParse(url))
    throw new InvalidInputError(`${withoutSecret(source)} is no folder here, and a repository is written ${SPELLING}`);
  const { username, password, protocol } = new URL(url);
  // Whatever is in it would be in plugins.lock.json and on the screen.
  if (password !== '' || (protocol === 'https:' && username !== ''))
    throw new InvalidInputError(
      `${withoutSecret(source)}: leave the password out; git asks for it, or its credential helper knows it`,
    );
  return { url, ref };
}

/**
 * Writes the files of a commit into `folder`, and resolves with its id. Nothing of the repository runs, and its symbolic
 * links are left out, as npm does. Throws InvalidInputError without git, without access, and without such a commit.
 * @param scratch an empty place beside `folder`, which is empty as well
 */
export async function checkOut({ url, ref }: GitSource, folder: string, scratch: string): Promise<string> {
  const archive = `${scratch}.tar`;
  const git = async (...args: string[]): Promise<string> => (await run('git', args)).stdout.trim();
  const inside = (...args: string[]): Promise<string> => git(`--git-dir=${scratch}`, ...args);
  await git('clone', '--quiet', '--bare', '--', url, scratch).catch((error: unknown) => {
    throw new InvalidInputError(`${url} cannot be fetched: ${whyNot(error)}`, { cause: error });
  });
  const commit = await inside('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).catch(
    (error: unknown) => {
      throw new InvalidInputError(`${url} has no commit, branch or tag ${ref}`, { cause: error });
    },
  );
  await inside('archive', '--format=tar', `--output=${archive}`, commit);
  mkdirSync(folder);
  await run('tar', ['-xf', archive, '-C', folder]);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isSymbolicLink()) rmSync(join(entry.parentPath, entry.name));
  return commit;
}

const failureSchema = z.object({ code: z.unknown(), stderr: z.string().default('') }).catch({ code: undefined, stderr: '' });

function whyNot(error: unknown): string {
  const { code, stderr } = failureSchema.parse(error);
  if (code === 'ENOENT') return 'there is no git on this machine; install it, or name a folder';
  // It may quote the other side.
  return stderr.replaceAll(/\p{Cc}+/gu, ' ').trim() || String(error);
}

function withoutSecret(source: string): string {
  return source.replace(/\/\/[^/@]*@/, '//…@');
}
