// A runner in miniature: starts a program that forks, ignores SIGTERM and never reads its input, says who was started, and waits
// to be killed.
import { ProcessGroup } from '../../../dist/libs/tools/mcp/process-group.js';

const [early] = process.argv.slice(2);
const stubborn = "trap '' TERM; sleep 600 & echo $$ $!; while :; do sleep 600; done";
const group = await ProcessGroup.start({ command: 'sh', args: ['-c', stubborn], env: {} });
if (early) process.stdout.write(`${group.pid}\n`);
else group.stdout.pipe(process.stdout);
