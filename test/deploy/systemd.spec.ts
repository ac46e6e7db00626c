import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { proves } from '../proves.js';

const UNIT = 'packaging/systemd/turnpike.service';
/** shutdown.graceMs and shutdown.forceMs as they are where nothing is configured. */
const DRAIN_S = 30;

proves('OP-2', 'the systemd unit starts standalone again whatever ended it, except for its configuration', () => {
  const unit = new Map([...readFileSync(UNIT, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  expect(Object.fromEntries(unit)).toMatchObject({
    Restart: 'always',
    RestartPreventExitStatus: '78',
    StartLimitIntervalSec: '0',
  });
  // Refuses to start without an admin token, and writes none into the journal.
  expect(unit.get('Environment')).toBe('NODE_ENV=production');
  expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(DRAIN_S);
  expect(unit.get('ExecStart')).toMatch(/ bin\/app\.mjs standalone$/);
});

proves('OP-2', 'systemd takes the unit', (context) => {
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', UNIT], { encoding: 'utf8' });
  if (error) context.skip('systemd-analyze is not on PATH');
  // That Node is not in /usr/bin of this machine says nothing of the unit.
  const problems = stderr.split('\n').filter((line) => line.includes('turnpike.service') && !line.includes('is not executable'));
  expect({ problems, status: stderr.includes('is not executable') ? 0 : status }).toEqual({ problems: [], status: 0 });
});
