import { expect, test } from 'vitest';
import { controlCommand } from './index.js';

test.each(['/stop', ' /STOP\n', '/stop@Turnpike_bot'])('RT-4 %j stops the turn', (text) => {
  expect(controlCommand(text)).toEqual({ command: 'stop' });
});

test.each(['stop', '/stop now', '/stopped', '/stop@', '/new', '', 'please /stop'])('RT-4 %j is a message', (text) => {
  expect(controlCommand(text)).toBeUndefined();
});
