#!/usr/bin/env node
// @ts-check
// The command line, from a checkout: turnpike chat, turnpike send ... (apps/cli).
import { runBuilt } from './setup/run-built.mjs';

await runBuilt('apps', 'cli', 'main.js');
