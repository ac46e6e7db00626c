import type { Config } from './config.schema.js';
import type { ConfigProblem } from './config-error.js';

type Check = (config: Config) => ConfigProblem[];

/** What one option cannot know about another. */
const CHECKS: readonly Check[] = [
  ({ lanes }) => below('lanes.stalledCheckMs', lanes.stalledCheckMs, 'lanes.lockMs', lanes.lockMs),
  // A request that outlives half a lock could still arrive after another process took over (protocol 4).
  ({ lanes }) =>
    below('lanes.deliveries.requestTimeoutMs', lanes.deliveries.requestTimeoutMs, 'half of lanes.lockMs', lanes.lockMs / 2),
  ({ ops, http }) =>
    ops.port === http.port && ops.port !== 0
      ? [{ path: 'ops.port', message: `${ops.port} is http.port too; health and metrics need a port of their own` }]
      : [],
  duplicateTokens,
  unknownProviders,
  unknownAgents,
  missingPrices,
];

/** Production must not come up open (IN-6). Standalone makes a token of its own and prints it. */
export function adminTokenProblem({ production, auth }: Config): ConfigProblem[] {
  if (!production || auth.adminToken !== undefined) return [];
  const message =
    'is required in production; set TURNPIKE_ADMIN_TOKEN or TURNPIKE_ADMIN_TOKEN_FILE, for example to the output of `openssl rand -hex 32`';
  return [{ path: 'auth.adminToken', message }];
}

export function crossProblems(config: Config): ConfigProblem[] {
  return CHECKS.flatMap((check) => check(config));
}

function below(path: string, value: number, limitName: string, limit: number): ConfigProblem[] {
  return value < limit
    ? []
    : [{ path, message: `${value} must be below ${limitName} (${limit}); lower it or raise lanes.lockMs` }];
}

function duplicateTokens({ auth }: Config): ConfigProblem[] {
  const names = new Set<string>();
  const values = new Set(auth.adminToken === undefined ? [] : [auth.adminToken]);
  return auth.tokens.flatMap(({ name, token }, i) => {
    const problems: ConfigProblem[] = [];
    if (names.has(name))
      problems.push({
        path: `auth.tokens.${i}.name`,
        message: `${JSON.stringify(name)} is taken by an earlier token; choose another`,
      });
    if (values.has(token))
      problems.push({ path: `auth.tokens.${i}.token`, message: 'is the same as another token; every caller needs its own' });
    names.add(name);
    values.add(token);
    return problems;
  });
}

function unknownProviders({ agents, models }: Config): ConfigProblem[] {
  const { openai } = models.providers;
  const named = Object.entries(agents).flatMap(([id, { model, context }]) => [
    { path: `agents.${id}.model`, model },
    ...(context.summaryModel === undefined ? [] : [{ path: `agents.${id}.context.summaryModel`, model: context.summaryModel }]),
  ]);
  return named.flatMap(({ path, model }) => {
    const provider = model.slice(0, model.indexOf('/'));
    if (provider === 'scripted') return [];
    if (provider !== 'openai')
      return [{ path, message: `${JSON.stringify(provider)} is no provider; allowed: openai/<model>, scripted/demo` }];
    if (openai?.apiKey !== undefined || openai?.baseUrl !== undefined) return [];
    return [
      { path, message: 'needs OpenAI, which is not configured; set OPENAI_API_KEY or OPENAI_BASE_URL, or use scripted/demo' },
    ];
  });
}

function unknownAgents({ agents, channels }: Config): ConfigProblem[] {
  const users = [
    ['channels.webchat', channels.webchat.agent],
    ...Object.entries(channels.telegram.accounts).map(([id, { agent }]) => [`channels.telegram.accounts.${id}`, agent]),
    ...Object.entries(channels.webhook.accounts).map(([id, { agent }]) => [`channels.webhook.accounts.${id}`, agent]),
  ] as const;
  return users.flatMap(([path, agent]) =>
    agent !== undefined && Object.hasOwn(agents, agent)
      ? []
      : [{ path: `${path}.agent`, message: `${JSON.stringify(agent)} is no agent; known: ${Object.keys(agents).join(', ')}` }],
  );
}

/** A limit that can't be reached would only look like one. */
function missingPrices({ agents, models }: Config): ConfigProblem[] {
  return Object.entries(agents).flatMap(([id, { maxTurnCost, model }]) =>
    maxTurnCost === 0 || Object.hasOwn(models.prices, model)
      ? []
      : [
          {
            path: `agents.${id}.maxTurnCost`,
            message: `needs the price of ${model}; set models.prices.${JSON.stringify(model)}`,
          },
        ],
  );
}
