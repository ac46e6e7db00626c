import type { ConfigProblem } from './config-error.js';
import type { ProviderOptions } from './models.schema.js';
import { PROVIDER_PRESETS, type ModelApi, type ProviderQuirks } from './provider-presets.js';

/** A provider that can be called, with nothing left to default. */
export type ProviderConfig = Omit<ProviderOptions, 'api' | 'idleTimeoutMs'> & {
  api: ModelApi;
  idleTimeoutMs: number;
  quirks?: ProviderQuirks;
};

/** Needs no configuration: the offline demo model. */
const SCRIPTED = 'scripted';
const DEMO_MODEL = `${SCRIPTED}/demo`;

const CLOUD_IDLE_MS = 120_000;
/** A local model may have to be loaded first. */
const LOCAL_IDLE_MS = 300_000;
const LOCAL_HOST = /^https?:\/\/(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\])/;

/** The provider as its name and its options make it; undefined for one that has neither a key nor an address. */
export function resolveProvider(id: string, options: ProviderOptions): ProviderConfig | undefined {
  const preset = Object.hasOwn(PROVIDER_PRESETS, id) ? PROVIDER_PRESETS[id] : undefined;
  const api = options.api ?? preset?.api;
  const spoken = options.api === undefined || options.api === preset?.api ? preset : undefined;
  const baseUrl = options.baseUrl ?? spoken?.baseUrl;
  const callable =
    options.apiKey !== undefined || options.apiKeys.length > 0 || options.baseUrl !== undefined || preset?.isLocal === true;
  if (api === undefined || !callable) return undefined;
  const isLocal = baseUrl !== undefined && LOCAL_HOST.test(baseUrl);
  const model = options.model ?? preset?.model;
  return {
    ...options,
    api,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model !== undefined && { model }),
    ...(spoken?.quirks && { quirks: spoken.quirks }),
    idleTimeoutMs: options.idleTimeoutMs ?? (isLocal ? LOCAL_IDLE_MS : CLOUD_IDLE_MS),
  };
}

/** What agents get that name no model: that of the first provider there is, the known ones first. */
export function defaultModel(providers: Readonly<Record<string, ProviderConfig>>): string {
  const ids = [...new Set([...Object.keys(PROVIDER_PRESETS), ...Object.keys(providers)])];
  const id = ids.find((each) => providers[each]?.model !== undefined);
  return id === undefined ? DEMO_MODEL : `${id}/${providers[id]?.model}`;
}

export function providerProblems(providers: Readonly<Record<string, ProviderOptions>>): ConfigProblem[] {
  return Object.entries(providers).flatMap(([id, { api, baseUrl, transport }]) => {
    const spoken = api ?? (Object.hasOwn(PROVIDER_PRESETS, id) ? PROVIDER_PRESETS[id]?.api : undefined);
    if (transport === 'websocket' && spoken !== 'openai-responses')
      return [{ path: `models.providers.${id}.transport`, message: 'websocket needs api: openai-responses beside it' }];
    if (id === SCRIPTED || Object.hasOwn(PROVIDER_PRESETS, id)) return [];
    const path = `models.providers.${id}`;
    const known = Object.keys(PROVIDER_PRESETS).join(', ');
    if (api === undefined)
      return [{ path: `${path}.api`, message: `is missing: ${id} is none of ${known}; say how it is spoken to` }];
    const hasAddress = baseUrl !== undefined || api === 'anthropic' || api === 'google' || api === 'ollama';
    return hasAddress ? [] : [{ path: `${path}.baseUrl`, message: 'is missing; give the address of the server' }];
  });
}

/** What is wrong with a model's provider, for whoever named it. @param providers those of the configuration, and plugins, which may bring one under their id */
export function unknownProvider(model: string, providers: Readonly<Record<string, unknown>>): string | undefined {
  const id = model.slice(0, model.indexOf('/'));
  if (id === SCRIPTED || Object.hasOwn(providers, id)) return undefined;
  if (Object.hasOwn(PROVIDER_PRESETS, id))
    return `needs ${id}, which is not configured; set models.providers.${id}.apiKey or .baseUrl`;
  const known = [...Object.keys(providers), SCRIPTED].join(', ');
  return `${JSON.stringify(id)} is no provider; configured are ${known}`;
}
