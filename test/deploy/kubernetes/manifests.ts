import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { TestContext } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const labels = z.record(z.string(), z.string());

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: labels.optional(),
    annotations: labels.optional(),
  }),
});
export type Manifest = z.output<typeof manifestSchema>;

/** @throws when one of the documents is no object of Kubernetes */
export function manifestsOf(text: string): Manifest[] {
  const documents = parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
  return documents.filter((document) => document !== null).map((document) => manifestSchema.parse(document));
}

/** What `kubectl apply -k` would apply; skips the test where there is no kubectl with a kustomize of these years. */
export function kustomize(context: TestContext, folder: string): Manifest[] {
  const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (error) context.skip('kubectl is not on PATH: nothing can be said of the kustomizations (1.28 or later)');
  if (/unknown (field|command)|json: unknown field/.test(stderr)) context.skip(`this kubectl is too old: ${stderr}`);
  if (status !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return manifestsOf(stdout);
}

/** The same for an overlay made up here. @param kustomization with paths as from the root of this checkout */
export function kustomizeOf(context: TestContext, kustomization: { resources: string[]; components?: string[] }): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-overlay-'));
  try {
    const from = (paths: string[] = []): string[] => paths.map((path) => relative(folder, path));
    const { resources, components } = kustomization;
    const text = JSON.stringify({ resources: from(resources), components: from(components) });
    writeFileSync(join(folder, 'kustomization.yaml'), text);
    return kustomize(context, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
