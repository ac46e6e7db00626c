import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { manifestsOf, type Manifest } from './manifests.js';

const CHART = 'k8s/chart';
/** Debian's golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev. */
const GOPATH = '/usr/share/gocode';

/**
 * The chart as release `name` in a namespace of that name: by Helm where it is installed, else by the stand-in made of Helm's template
 * engine; skips the test where there is neither. @throws when the templates cannot be rendered
 */
export function helmTemplate(context: TestContext, name: string, values: object = {}): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-values-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const [program, ...words] = commandOf(context, name, file);
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      GOCACHE: join(tmpdir(), 'turnpike-go-cache'),
      GO111MODULE: 'off',
      GOPATH,
    };
    const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', env });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return manifestsOf(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function commandOf(context: TestContext, name: string, values: string): [string, ...string[]] {
  if (spawnSync('helm', ['version']).status === 0)
    return ['helm', 'template', name, CHART, '--namespace', name, '--values', values];
  if (spawnSync('go', ['version']).status !== 0 || !existsSync(`${GOPATH}/src/github.com/Masterminds/sprig`))
    context.skip(
      'neither helm, nor golang-go with golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev is installed',
    );
  return ['go', 'run', 'test/deploy/helm/template.go', name, CHART, values];
}
