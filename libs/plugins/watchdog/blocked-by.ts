import { Session } from 'node:inspector';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WatchedPlugin } from './process-state.js';

/** For the whole question: native code that never comes back cannot be stopped to be asked. */
const ASK_MS = 2000;

/** Whose code holds the main thread: stops it and reads the stack. @returns its index; -1: nobody's of these, or not to be told */
export async function blockedBy(plugins: readonly WatchedPlugin[]): Promise<number> {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  const paused = new Promise<number>((resolve) => {
    setTimeout(() => resolve(-1), ASK_MS);
    session.on('Debugger.paused', ({ params: { callFrames } }) => {
      const stack = callFrames.map(({ location }) => urls.get(location.scriptId) ?? '');
      resolve(plugins.findIndex(({ root }) => stack.some((url) => isBelow(url, root))));
    });
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  return paused;
}

function isBelow(url: string, root: string): boolean {
  return url.startsWith('file:') && fileURLToPath(url).startsWith(root + sep);
}
