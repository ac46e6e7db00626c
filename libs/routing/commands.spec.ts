import { expect, test } from 'vitest';
import { controlCommand } from './index.js';

test.each(['/stop', ' /STOP\n', '/stop@Turnpike_bot', '停', ' 停止 '])('RT-4 %j stops the turn', (text) => {
  expect(controlCommand(text)).toEqual({ command: 'stop' });
});

test.each(['stop', '/stop now', '/stopped', '/stop@', '/new', '', 'please /stop', '停车', '请停止', '/停'])(
  'RT-4 %j is a message',
  (text) => {
    expect(controlCommand(text)).toBeUndefined();
  },
);
