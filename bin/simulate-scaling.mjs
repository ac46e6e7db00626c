#!/usr/bin/env node
// @ts-check
// npm run simulate:scaling -- [arguments of test/scaling/main.ts]
import { runBuilt } from './setup/run-built.mjs';

await runBuilt('test', 'scaling', 'main.js');
