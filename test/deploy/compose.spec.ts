import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { proves } from '../proves.js';

const SECOND_MS = 1000;
/** shutdown.forceMs, which the file leaves as it is. */
const FORCE_MS = 5000;

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      restart: z.string().optional(),
      command: z.array(z.string()).optional(),
      env_file: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      stop_grace_period: z.string().optional(),
      read_only: z.boolean().optional(),
      cap_drop: z.array(z.string()).optional(),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
      ports: z.array(z.string()).optional(),
      profiles: z.array(z.string()).optional(),
    }),
  ),
});

const text = (path: string): string => readFileSync(path, 'utf8');
const { services } = composeSchema.parse(parse(text('docker-compose.yml'), { merge: true }));
const apps = Object.entries(services).filter(([, { image }]) => image === 'turnpike:dev');

proves('OP-2', 'what docker compose starts comes back by itself, and nothing else is started unless asked for', () => {
  const wanted = Object.entries(services).filter(([, { profiles }]) => !profiles);
  expect(wanted.map(([name]) => name).toSorted()).toEqual(['dispatcher', 'ingress', 'redis', 'runner']);
  for (const [name, { restart, healthcheck }] of wanted) expect({ name, restart, healthy: !!healthcheck }).toEqual({ name, restart: 'unless-stopped', healthy: true }); // prettier-ignore
});

proves(
  'OP-2',
  'apps under docker compose write nowhere, have no capability, get their secrets by file and have time to drain',
  () => {
    expect(apps).toHaveLength(3);
    for (const [, app] of apps) {
      expect(app).toMatchObject({ read_only: true, cap_drop: ['ALL'], env_file: ['.env'] });
      const grace = Number(app.environment?.SHUTDOWN_GRACE_MS);
      expect(Number.parseInt(app.stop_grace_period ?? '', 10) * SECOND_MS).toBeGreaterThan(grace + FORCE_MS);
    }
  },
);

proves('OP-2', 'Redis under docker compose keeps what it accepted, and only loopback or the web port leaves the machine', () => {
  expect(services.redis?.command?.join(' ')).toMatch(/--appendonly yes.*--maxmemory-policy noeviction/);
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual(['3000:3000']);
});

proves('OP-2', 'images are named by a version', () => {
  for (const { image } of Object.values(services)) expect(image).toMatch(/:(?!latest$)[\w.-]+$/);
});

proves('OP-6', 'the example of an env file names variables that exist, and holds no value', () => {
  const documented = text('docs/configuration.md');
  const lines = text('.env.example').split('\n').filter((line) => line !== '' && !line.startsWith('#')); // prettier-ignore
  expect(lines).not.toHaveLength(0);
  for (const line of lines) {
    const [, name = ''] = /^(\w+)=$/.exec(line) ?? [];
    expect(documented, `${line} in .env.example`).toContain(`\`${name}\``);
  }
});
