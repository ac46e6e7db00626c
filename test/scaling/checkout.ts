import { join } from 'node:path';

/** The same from the sources and from dist. */
export const CHECKOUT = join(import.meta.dirname, import.meta.dirname.includes('dist') ? '../../..' : '../..');
