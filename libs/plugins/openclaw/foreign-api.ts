import { resolve } from 'node:path';
import type { Registration } from '../registration.js';

/** Members of the api that mean the same there and here. */
const SHARED = new Set(['id', 'name', 'version', 'pluginConfig', 'logger', 'registerTool', 'registerService']);

/**
 * Our registration as OpenClaw's api. What it has and we do not is left out and reported, so that the tools of a plugin run
 * where only its command line or its gateway methods have no place. Its hooks have payloads of their own: they are left out.
 * @param lacks told of each member that was used in vain
 */
export function foreignApi(registration: Registration, lacks: (member: string) => void): Registration {
  const { id, pluginConfig } = registration;
  const own: Record<string, unknown> = {
    config: { plugins: { entries: { [id]: { enabled: true, config: pluginConfig } } } },
    log: registration.logger,
    registrationMode: 'full',
    resolvePath: (path: string) => resolve(path),
    on: (hook: string) => lacks(`on("${hook}")`),
    runtime: missing('runtime', lacks),
  };
  return new Proxy(registration, {
    get(target, name) {
      if (typeof name === 'symbol') return undefined;
      if (Object.hasOwn(own, name)) return own[name];
      if (!SHARED.has(name)) return name.startsWith('register') ? () => lacks(name) : undefined;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Reading a member that is not there says which, before the plugin fails at it. */
function missing(path: string, lacks: (member: string) => void): object {
  return new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name === 'string') lacks(`${path}.${name}`);
        return undefined;
      },
    },
  );
}
