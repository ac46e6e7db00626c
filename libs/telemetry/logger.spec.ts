import { expect, test } from 'vitest';
import { createLogger, Redactor, type LoggerOptions } from './index.js';

function lines(options: Partial<LoggerOptions> = {}) {
  const written: string[] = [];
  const logging = createLogger({
    level: 'info',
    name: 'runner',
    destination: { write: (line) => written.push(line) },
    ...options,
  });
  return { ...logging, written };
}

test('OUT-4 a line is one JSON object with time, level, name and message', () => {
  const { logger, written } = lines();
  logger.info({ a: 1 }, 'hello');
  expect(JSON.parse(written[0] ?? '')).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'info',
    name: 'runner',
    a: 1,
    msg: 'hello',
  });
  expect(written[0]?.endsWith('\n')).toBe(true);
});

test('OUT-4 the level changes live, for child loggers made before too', () => {
  const { logger, setLevel, written } = lines();
  const child = logger.child({ part: 'x' });
  child.debug('one');
  setLevel('debug');
  child.debug('two');
  setLevel('silent');
  child.fatal('three');
  expect(written.map((line) => JSON.parse(line).msg)).toEqual(['two']);
});

test('OP-4 secrets do not reach a line: by field name, or by value inside an error or a URL', () => {
  const { logger, written } = lines({ redactor: new Redactor(['12:tele"gram', 'short', 'telegram-secret']) });
  const error = new Error('POST https://api.telegram.org/bot12:tele"gram/sendMessage failed');
  logger
    .child({ url: 'x/telegram-secret' })
    .error({ err: error, token: 'aaa', account: { apiKey: 'bbb' }, req: { headers: { authorization: 'ccc' } } }, 'short');
  const text = written.join('');
  for (const value of ['tele\\"gram', 'telegram-secret', 'aaa', 'bbb', 'ccc']) expect(text).not.toContain(value);
  expect(JSON.parse(text).msg).toBe('short');
  expect(text).toContain('sendMessage failed');
});
