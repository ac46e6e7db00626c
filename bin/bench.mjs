#!/usr/bin/env node
// @ts-check
// npm run bench -- [arguments of test/bench/main.ts]
import { runBuilt } from './setup/run-built.mjs';

await runBuilt('test', 'bench', 'main.js');
