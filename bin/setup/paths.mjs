// @ts-check
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A path inside the checkout, wherever the command was called from. */
export function inCheckout(/** @type {string[]} */ ...parts) {
  return join(root, ...parts);
}
