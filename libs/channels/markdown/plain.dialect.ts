import type { Dialect } from './dialect.js';

/** For platforms without formatting: the words, marks of lists, and addresses written out. Limits are held against the text. */
export const plainDialect: Dialect = {
  counted: 'text',
  unit: 'utf16',
  bullet: '• ',
  tables: 'lines',
  perLine: false,
  opens: () => false,
  write: () => undefined,
  escape: (text) => text,
};
