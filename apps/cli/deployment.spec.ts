import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findDeployment } from './deployment.js';
import { readEnvironment } from './environment.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-cli-'));
const tokenFile = join(folder, 'admin-token');
writeFileSync(tokenFile, 'from-the-file\n');
afterAll(() => rmSync(folder, { recursive: true }));

const found = (flags: { url?: string; token?: string }, env: Record<string, string>, file = tokenFile) => {
  const { url, token } = findDeployment(flags, readEnvironment(env), file);
  return [url.href, token];
};

test('OP-5 flags win over the environment, which wins over what npm start left', () => {
  const env = { TURNPIKE_URL: 'https://env.example/turnpike', TURNPIKE_TOKEN: 'from-env' };
  expect(found({ url: 'http://flag.example', token: 'from-flag' }, env)).toEqual(['http://flag.example/', 'from-flag']);
  expect(found({}, env)).toEqual(['https://env.example/turnpike/', 'from-env']);
  expect(found({}, { TURNPIKE_URL: '' })).toEqual(['http://127.0.0.1:3000/', 'from-the-file']);
});

test('OP-5 a missing token and a wrong address are explained', () => {
  expect(() => found({}, {}, join(folder, 'absent'))).toThrow(/--token or TURNPIKE_TOKEN/);
  expect(() => found({ url: 'localhost:3000' }, {})).toThrow(/Write it like http/);
});

test('OP-5 NO_COLOR counts when it is not empty', () => {
  expect([readEnvironment({ NO_COLOR: '1' }).noColor, readEnvironment({ NO_COLOR: '' }).noColor]).toEqual([true, false]);
});
