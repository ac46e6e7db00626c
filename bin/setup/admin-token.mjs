// @ts-check
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The admin token of `npm start`: the configured one, else one made at the first start and kept in `file`, readable by its owner only.
 * @returns {Record<string, string>} what the app needs in its environment
 */
export function adminToken(/** @type {string} */ file) {
  if (process.env.TURNPIKE_ADMIN_TOKEN || process.env.TURNPIKE_ADMIN_TOKEN_FILE) return {};
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  }
  return { TURNPIKE_ADMIN_TOKEN_FILE: file };
}
