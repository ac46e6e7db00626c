/**
 * Passes `pieces` on. Where `isWhole` says that the reason to stop has come, a break behind it is the end and no error: servers
 * close their connections as they like, and write what they like there.
 */
export async function* untilBroken<T>(pieces: AsyncIterable<T>, isWhole: () => boolean): AsyncGenerator<T> {
  try {
    yield* pieces;
  } catch (error) {
    if (!isWhole()) throw error;
  }
}
