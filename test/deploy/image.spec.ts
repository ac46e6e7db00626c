import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { proves } from '../proves.js';

proves('OP-2', 'the image runs an app by its name, as a user without rights, with no shell between it and its signals', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^ENV NODE_ENV=production$/m);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["tini", "--", "node", "--enable-source-maps", "bin\/app\.mjs"\]$/m);
  const [, app = ''] = /^CMD \["(\w+)"\]$/m.exec(dockerfile) ?? [];
  expect(existsSync(`apps/${app}/main.ts`)).toBe(true);
});

proves('OP-2', 'an app that does not exist is answered with those that do', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.mjs', 'worker'], { encoding: 'utf8' });
  expect(status).toBe(64);
  expect(stderr).toBe('There is no app "worker"; name one of: cli, dispatcher, ingress, pod-costs, runner, standalone\n');
});
