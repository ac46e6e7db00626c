#!/usr/bin/env node
// @ts-check
// What the image runs: `app.mjs runner ...` is the app `runner` with the rest as its arguments. A file, so that no shell is needed.
import { existsSync, readdirSync } from 'node:fs';

const apps = new URL('../dist/apps/', import.meta.url);
const [app = 'ingress'] = process.argv.splice(2, 1);
const entry = new URL(`${app}/main.js`, apps);
const names = readdirSync(apps).filter((name) => existsSync(new URL(`${name}/main.js`, apps)));
if (!names.includes(app)) {
  process.stderr.write(`There is no app ${JSON.stringify(app)}; name one of: ${names.join(', ')}\n`);
  process.exit(64);
}
await import(entry.href);
