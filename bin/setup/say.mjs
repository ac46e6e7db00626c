// @ts-check

/** A set-up step that can't be done. The message says what the reader has to do. */
export class SetupError extends Error {}

// A terminal that was closed takes no more words; what runs must still be stopped in order.
process.stderr.on('error', () => undefined);

/** One line of progress. On stderr, so that `--json` output on stdout stays whole. */
export function say(/** @type {string} */ text) {
  process.stderr.write(`turnpike: ${text}\n`);
}

/** A framed warning that can't be overlooked. */
export function shout(/** @type {string[]} */ ...lines) {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '!'.repeat(width + 6);
  process.stderr.write(`\n${rule}\n${lines.map((line) => `!! ${line.padEnd(width)} !!\n`).join('')}${rule}\n\n`);
}

/**
 * Runs an entry of bin/ and exits with the code it returns. A SetupError is shown without a stack: it speaks to the reader.
 * @param {() => Promise<number>} main
 */
export async function entry(main) {
  try {
    process.exit(await main());
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(error instanceof Error ? error.stack : error));
    process.exit(1);
  }
}
