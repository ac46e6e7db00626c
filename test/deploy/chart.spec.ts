import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { proves } from '../proves.js';
import { helmTemplate } from './kubernetes/helm-template.js';
import { manifestProblems } from './kubernetes/manifest-problems.js';
import { kustomize, type Manifest } from './kubernetes/manifests.js';

const text = (path: string): string => readFileSync(path, 'utf8');
const objectSchema = z.record(z.string(), z.unknown());
const schema = objectSchema.parse(JSON.parse(text('k8s/chart/values.schema.json')));
const defaults = objectSchema.parse(parse(text('k8s/chart/values.yaml')));

/** Says the same of an object, whichever of the two made it. */
function comparable(manifests: readonly Manifest[]): Record<string, unknown> {
  const said = manifests.map((manifest): [string, unknown] => {
    const { namespace: _, ...metadata } = manifest.metadata;
    // Kustomize renames a ConfigMap when it changes, where Helm annotates the pods.
    const plain = JSON.stringify({ ...manifest, metadata })
      .replaceAll(/"(turnpike(?:-options)?)-[bcdfghkmt2456789]{10}"/g, '"$1"')
      .replaceAll(/"(?:app\.kubernetes\.io\/(?:instance|managed-by)|helm\.sh\/chart)":"[^"]*",?/g, '')
      .replaceAll(/,?"annotations":\{"checksum\/config":"\w+"\}/g, '')
      .replaceAll(',}', '}');
    const { metadata: named, ...rest } = z
      .looseObject({ metadata: z.looseObject({ name: z.string() }) })
      .parse(JSON.parse(plain));
    return [`${manifest.kind} ${named.name}`, { ...rest, metadata: named }];
  });
  return Object.fromEntries(said);
}

/** Options are written as JSON5 with a comment there and as JSON here; ConfigMaps of kustomize have no labels. */
function withoutConfigMaps(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(
    ({ kind, metadata }) => kind !== 'Namespace' && !(kind === 'ConfigMap' && !metadata.labels?.grafana_dashboard),
  );
}

proves('OP-2', 'the Helm chart renders by default what the production overlay does', (context) => {
  const chart = helmTemplate(context, 'turnpike');
  const overlay = kustomize(context, 'k8s/overlays/production');
  expect(comparable(withoutConfigMaps(chart))).toEqual(comparable(withoutConfigMaps(overlay)));
  const environment = (manifests: readonly Manifest[]): unknown =>
    manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /^turnpike(-[bcdfghkmt2456789]{10})?$/.test(metadata.name))
      ?.data;
  expect(environment(chart)).toEqual(environment(overlay));
});

const everythingSet = {
  image: { tag: '1.2.3', pullPolicy: 'Always', pullSecrets: ['registry'] },
  existingSecret: 'mine',
  env: { LOG_LEVEL: 'debug' },
  options: { agents: { main: { systemPrompt: 'You help: "yes" or {{ no }}.' } } },
  shutdownGraceSeconds: 300,
  runner: {
    extraEnv: [{ name: 'A', value: 'b' }],
    podAnnotations: { a: 'b' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'agents', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
  http: { className: 'nginx', tlsSecret: '', annotations: { a: 'b' } },
};
const VARIANTS: [name: string, values: object][] = [
  ['everything set', everythingSet],
  ['plain HPAs', { autoscaling: { kind: 'external-metrics' } }],
  ['scale to zero', { autoscaling: { runner: { minimum: 0 } } }],
  [
    'nothing optional',
    {
      autoscaling: { kind: 'none' },
      http: { enabled: false },
      ...Object.fromEntries(['podDisruptionBudget', 'podCosts', 'serviceMonitor', 'prometheusRule', 'dashboard'].map((part) => [part, { enabled: false }])),
    },
  ],
]; // prettier-ignore

proves('OP-2', 'the chart is valid, hardened and complete under another name and with other values', async (context) => {
  for (const [name, values] of VARIANTS) {
    expect(new Ajv({ strict: false, validateFormats: false }).validate(schema, values), name).toBe(true);
    const manifests = helmTemplate(context, 'agents', values);
    expect(await manifestProblems(manifests), name).toEqual([]);
    expect(manifests.map(({ metadata }) => metadata.name).filter((one) => !one.startsWith('agents-turnpike')), name).toEqual([]); // prettier-ignore
  }
});

proves('OP-2', 'the options of the chart arrive as they were written', (context) => {
  const manifests = helmTemplate(context, 'turnpike', everythingSet);
  const map = manifests.find(({ metadata }) => metadata.name === 'turnpike-options');
  const { data } = z.looseObject({ data: z.object({ 'turnpike.json5': z.string() }) }).parse(map);
  expect(JSON.parse(data['turnpike.json5'])).toEqual(everythingSet.options);
});

proves('OP-2', 'the schema of values takes the defaults, and refuses what is misspelt or unsafe', () => {
  const valid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  expect(valid(defaults), JSON.stringify(valid.errors)).toBe(true);
  const wrong: object[] = [
    { runners: {} },
    { runner: { resource: {} } },
    { image: { repository: 'turnpike', tag: 'latest' } },
    { autoscaling: { kind: 'vpa' } },
    { autoscaling: { dispatcher: { minimum: 0 } } },
    { env: { 'not a name': 'x' } },
    { env: { SHUTDOWN_GRACE_MS: '1' } },
    { networkPolicy: { inside: ['10.0.0.0/8'] } },
    { runner: { resources: { requests: {}, limits: {} } } },
  ];
  for (const values of wrong) expect(valid(values), JSON.stringify(values)).toBe(false);
});
