import { isRaw, type Raw } from './config-file.js';
import type { Environment } from './environment.js';

interface EnvOption {
  name: string;
  path: readonly string[];
  /** Text unless said otherwise. A text that is no number stays text, for the schema to refuse. */
  parse?: (text: string) => unknown;
}

const number = (text: string): unknown => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
/** Ollama's own variable holds `host`, `host:port` or a URL. */
const url = (text: string): string => (text.includes('://') ? text : `http://${text}`);
const option = (name: string, path: string, parse?: EnvOption['parse']): EnvOption => ({ name, path: path.split('.'), parse });

/** Variables that win over the file. Of two names for one option the later one in this list wins. */
export const ENV_OPTIONS: readonly EnvOption[] = [
  option('NODE_ENV', 'production', (text) => text === 'production'),
  option('HOST', 'http.host'),
  option('PORT', 'http.port', number),
  option('OPS_PORT', 'ops.port', number),
  option('REDIS_URL', 'redis.url'),
  option('TURNPIKE_BUCKETS', 'redis.buckets', number),
  option('TURNPIKE_ADMIN_TOKEN', 'auth.adminToken'),
  option('OPENAI_API_KEY', 'models.providers.openai.apiKey'),
  option('OPENAI_BASE_URL', 'models.providers.openai.baseUrl'),
  option('OPENAI_MODEL', 'models.providers.openai.model'),
  option('ANTHROPIC_API_KEY', 'models.providers.anthropic.apiKey'),
  option('ANTHROPIC_BASE_URL', 'models.providers.anthropic.baseUrl'),
  option('ANTHROPIC_MODEL', 'models.providers.anthropic.model'),
  option('GOOGLE_API_KEY', 'models.providers.google.apiKey'),
  option('GEMINI_API_KEY', 'models.providers.google.apiKey'),
  option('GEMINI_MODEL', 'models.providers.google.model'),
  option('OLLAMA_HOST', 'models.providers.ollama.baseUrl', url),
  option('OLLAMA_MODEL', 'models.providers.ollama.model'),
  option('TELEGRAM_BOT_TOKEN', 'channels.telegram.accounts.default.botToken'),
  option('TELEGRAM_WEBHOOK_SECRET_TOKEN', 'channels.telegram.accounts.default.secretToken'),
  option('SLACK_BOT_TOKEN', 'channels.slack.accounts.default.botToken'),
  option('SLACK_SIGNING_SECRET', 'channels.slack.accounts.default.signingSecret'),
  option('DISCORD_APPLICATION_ID', 'channels.discord.accounts.default.applicationId'),
  option('DISCORD_PUBLIC_KEY', 'channels.discord.accounts.default.publicKey'),
  option('DISCORD_TOKEN', 'channels.discord.accounts.default.botToken'),
  option('TURNPIKE_TURN_CONCURRENCY', 'lanes.turns.concurrency', number),
  option('TURNPIKE_LOCK_MS', 'lanes.lockMs', number),
  option('TURNPIKE_STALLED_CHECK_MS', 'lanes.stalledCheckMs', number),
  option('SHUTDOWN_GRACE_MS', 'shutdown.graceMs', number),
  option('TRACE_LEVEL', 'log.level'),
  option('LOG_LEVEL', 'log.level'),
];

/** Which variable an option's value came from, by dotted path. */
export type EnvSources = ReadonlyMap<string, string>;

/** Writes the variables that are set over the file's values. Where the file holds no object in between, the schema reports it. */
export function applyEnvironment(raw: Raw, env: Environment): EnvSources {
  const sources = new Map<string, string>();
  for (const { name, path, parse } of ENV_OPTIONS) {
    const text = env.get(name);
    if (text !== undefined && put(raw, path, parse ? parse(text) : text)) sources.set(path.join('.'), name);
  }
  return sources;
}

function put(raw: Raw, path: readonly string[], value: unknown): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return false;
  if (rest.length === 0) {
    raw[key] = value;
    return true;
  }
  raw[key] ??= {};
  const next = raw[key];
  return isRaw(next) && put(next, rest, value);
}
