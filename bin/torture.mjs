#!/usr/bin/env node
// @ts-check
// npm run torture -- [arguments of test/torture/main.ts]
import { runBuilt } from './setup/run-built.mjs';

await runBuilt('test', 'torture', 'main.js');
