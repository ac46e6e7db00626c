/** Telegram's rates, too high to be felt: for tests of anything else. */
export const UNPACED = Object.fromEntries(['bot', 'chat', 'group'].map((scope) => [scope, { count: 1000, perMs: 1 }]));
