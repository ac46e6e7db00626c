import { EXIT } from './cli-error.js';
import { readEnvironment } from './environment.js';
import { run } from './program.js';

// Whoever read our output has enough: turnpike chat | head
process.stdout.on('error', () => process.exit(EXIT.ok));

process.exitCode = await run(process.argv.slice(2), readEnvironment(), process);
