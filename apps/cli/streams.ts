import type { Readable, Writable } from 'node:stream';

/** What a command reads and writes; a test brings its own. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}
