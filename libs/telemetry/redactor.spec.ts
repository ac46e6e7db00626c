import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger, Redactor } from './index.js';

const secret = fc.string({ unit: 'binary-ascii', minLength: 6, maxLength: 60 }).filter((one) => !/^[\s*]*$/.test(one));

/** Whatever somebody may do with a text before it gets into an error. */
const WAYS: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in JSON': (text) => JSON.stringify({ authorization: `Bearer ${text}` }),
  'in JSON in JSON': (text) => JSON.stringify(JSON.stringify([text])),
  'in an address': (text) => `https://example.com/bot${encodeURIComponent(text)}/send?key=${encodeURIComponent(text)}`,
  'in base64': (text) => Buffer.from(text).toString('base64'),
};

test.each(Object.entries(WAYS))('OP-4 a secret is not in a line, wherever it is in what is logged: %s', (_, way) => {
  fc.assert(
    fc.property(secret, fc.string(), (value, around) => {
      const written: string[] = [];
      const redactor = new Redactor([value]);
      const { logger } = createLogger({
        level: 'trace',
        name: 'x',
        redactor,
        destination: { write: (line) => written.push(line) },
      });
      const said = `${around}${way(value)}${around}`;
      const deep = new Error(said, { cause: new Error(said, { cause: { list: [said] } }) });
      logger.child({ one: said }).info({ err: deep, at: { [said]: [said] } }, said);
      const line = written.join('');
      const kept =
        written.length === 1 && [way(value), JSON.stringify(way(value)).slice(1, -1)].some((form) => line.includes(form));
      expect(kept).toBe(false);
    }),
  );
});

test('OP-4 OP-6 secrets that come with a reload count at once, and those of before still do', () => {
  const redactor = new Redactor(['first-secret']);
  redactor.learn(['second-secret', 'tiny']);
  expect(redactor.clean('first-secret second-secret tiny')).toBe('*** *** tiny');
});

test('OP-4 of two secrets that share a beginning nothing is left', () => {
  expect(new Redactor(['token-of', 'token-of-bot']).clean('token-of-bot token-of')).toBe('*** ***');
});
