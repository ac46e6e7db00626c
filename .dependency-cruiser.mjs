// The floors of the house (ARCHITECTURE.md). Imports go down only; the pure libs stand aside and see what they need to be pure.

const SPEC = '[.](spec|fixture)[.]m?[jt]s$';

/** lib -> the libs it may import */
const FLOORS = {
  kernel: [],
  contracts: ['kernel'],
  config: ['kernel', 'contracts'],
  telemetry: ['kernel', 'contracts'],
  redis: ['kernel', 'contracts', 'config', 'telemetry'],
  lanes: ['kernel', 'contracts', 'config', 'telemetry', 'redis'],
  limits: ['kernel', 'contracts', 'config', 'telemetry', 'redis'],
  access: ['kernel', 'contracts', 'config', 'telemetry', 'redis'],
  sessions: ['kernel', 'contracts', 'config', 'telemetry', 'redis', 'lanes', 'limits'],
  routing: ['kernel', 'contracts'],
  agent: ['kernel', 'contracts'],
  models: ['kernel', 'contracts', 'agent'],
  tools: ['kernel', 'contracts', 'config', 'agent'],
  'plugin-sdk': ['kernel', 'contracts', 'agent', 'channels'],
  plugins: ['kernel', 'contracts', 'config', 'telemetry', 'redis', 'agent', 'tools', 'channels', 'plugin-sdk'],
  channels: ['kernel', 'contracts', 'agent'],
  host: [
    'kernel',
    'contracts',
    'config',
    'telemetry',
    'redis',
    'lanes',
    'limits',
    'sessions',
    'routing',
    'agent',
    'channels',
    'tools',
    'plugin-sdk',
    'plugins',
  ],
};

const floors = Object.entries(FLOORS).map(([lib, below]) => ({
  name: `floor-${lib}`,
  comment: `libs/${lib} may import ${below.map((name) => `#${name}`).join(', ') || 'no other lib'}. Take what it needs as an argument or a port, or move the code up to the app or lib that knows both sides. A spec over several libs belongs into test/.`,
  severity: 'error',
  from: { path: `^libs/${lib}/` },
  to: { path: '^libs/', pathNot: [lib, ...below].map((name) => `^libs/${name}/`) },
}));

/** package -> the one folder that knows it */
const SDKS = {
  ioredis: 'libs/redis',
  bullmq: 'libs/lanes',
  openai: 'libs/models/openai',
  '@anthropic-ai/sdk': 'libs/models/anthropic',
  '@google/genai': 'libs/models/google',
  ollama: 'libs/models/ollama',
  '@napi-rs/image': 'libs/models/images',
  '@modelcontextprotocol/client': 'libs/tools/mcp',
  '@modelcontextprotocol/server': 'libs/tools/mcp',
  ajv: 'libs/tools/schema',
  typebox: 'libs/plugin-sdk',
  '@opentelemetry/api': 'libs/telemetry/tracing',
  '@opentelemetry/sdk-node': 'libs/telemetry/tracing',
  '@opentelemetry/resources': 'libs/telemetry/tracing',
};

const sdks = Object.entries(SDKS).map(([name, folder]) => ({
  name: `sdk-${name}`,
  comment: `Only ${folder} knows ${name}: take what you need from its lib.`,
  severity: 'error',
  from: { path: '^(apps|libs)/', pathNot: [`^${folder}/`, SPEC] },
  to: { path: `node_modules/${name}/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...floors,
    ...sdks,
    {
      name: 'lib-without-a-floor',
      comment: 'A new lib: give it a floor in FLOORS of .dependency-cruiser.mjs, so that everybody sees what it may import.',
      severity: 'error',
      from: {},
      to: { path: '^libs/', pathNot: `^libs/(${Object.keys(FLOORS).join('|')})/` },
    },
    {
      name: 'plugins-import-only-the-sdk',
      comment:
        'A plugin sees Turnpike through turnpike/plugin-sdk alone, and no other plugin. What is missing there is added to libs/plugin-sdk, if it is meant for every author.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/', pathNot: SPEC },
      to: { path: ['^(apps|libs|test|bin|plugins)/', 'node_modules'], pathNot: ['^plugins/$1/', '^libs/plugin-sdk/index[.]ts$'] },
    },
    {
      name: 'nobody-imports-a-plugin',
      comment: 'Plugins are found by their manifests and loaded by libs/plugins; what another part needs of one is no plugin.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { path: '^plugins/' },
    },
    {
      name: 'libs-know-no-app',
      comment: 'A lib is used by apps and never uses one. Pass the value in, or move the code into a lib.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'lib-by-its-index',
      comment:
        "Import a lib by its public path (#sessions), never a file inside it. What is missing there is exported from the lib's index.ts, if it is meant for others.",
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/[^/]+/', pathNot: ['^libs/$1/', '^libs/[^/]+/index[.]ts$'] },
    },
    {
      name: 'lib-by-its-index-from-outside',
      comment:
        "Import a lib by its public path (#sessions), never a file inside it. What is missing there is exported from the lib's index.ts, if it is meant for others.",
      severity: 'error',
      from: { pathNot: '^libs/' },
      to: { path: '^libs/', pathNot: '^libs/[^/]+/index[.]ts$' },
    },
    {
      name: 'app-imports-no-app',
      comment:
        'Apps meet in Redis, not in code. What two of them share belongs into a lib. Only apps/standalone puts them together.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'standalone-imports-modules',
      comment:
        'apps/standalone takes the modules of ingress, runner and dispatcher from their index.ts. Export the module there.',
      severity: 'error',
      from: { path: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: ['^apps/standalone/', '^apps/(ingress|runner|dispatcher)/index[.]ts$'] },
    },
    {
      name: 'product-without-tests',
      comment: 'Code that ships uses nothing of test/ and bin/. Move what both need into a lib.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { path: ['^(test|bin)/', SPEC] },
    },
    {
      name: 'kernel-imports-nothing',
      comment: 'libs/kernel stands on Node alone. Put code that needs a package into the lib that owns that package.',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: SPEC },
      to: { path: 'node_modules' },
    },
    {
      name: 'contracts-are-zod',
      comment: 'libs/contracts is schemas: zod and the kernel only. Behaviour belongs to the lib that acts on the contract.',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: SPEC },
      to: { path: 'node_modules', pathNot: 'node_modules/zod/' },
    },
    {
      name: 'pure-libs',
      comment:
        'This lib knows neither Nest nor Redis, so that it can be tested and reused without them. Take a port; the runner, dispatcher or ingress fills it.',
      severity: 'error',
      from: { path: '^libs/(routing|agent|models|tools|channels)/' },
      to: { path: 'node_modules/(@nestjs/|ioredis/|bullmq/)' },
    },
    {
      name: 'no-dev-packages',
      comment: 'This package is not there in production. Move it to dependencies in package.json, or do without it.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that import each other are one. Join them, or move what both need into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'Nothing imports this file and it imports nothing: use it or delete it.',
      severity: 'error',
      // Plain .js files are assets of a web page; a fixture in .mjs is a program that a spec runs.
      from: { orphan: true, pathNot: ['[.]js$', '[.]d[.]ts$', '[.]fixture[.]mjs$'] },
      to: {},
    },
    {
      name: 'resolvable',
      comment:
        'This import leads nowhere. Relative imports end in .js; libs are imported as #name and listed in "imports" of package.json.',
      severity: 'error',
      // A fixture in .mjs is a program that runs on dist, which a clean clone does not have yet.
      from: { pathNot: '[.]fixture[.]mjs$' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['turnpike-source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
