import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHANNEL_DESCRIPTIONS } from './core.channels.js';

/** The web chat has no platform that posts webhooks or could lose a message: test/webchat-socket.spec.ts holds it in a fleet. */
const WITHOUT_PLATFORM = new Set(['webchat']);

const ROOT = new URL('../../', import.meta.url);
const specs = ['libs/channels', 'test']
  .flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => file.endsWith('.spec.ts'))
  .map((file) => readFileSync(new URL(file, ROOT), 'utf8'));

test.each(CHANNEL_DESCRIPTIONS.map(({ name }) => name))('OUT-2 %s holds both contracts, alone and in a fleet', (name) => {
  const holding = (kit: string): number => specs.filter((spec) => spec.includes(`${kit}('${name}'`)).length;
  expect(holding('channelContract')).toBe(1);
  if (!WITHOUT_PLATFORM.has(name)) expect(holding('channelFleetContract')).toBe(1);
});
