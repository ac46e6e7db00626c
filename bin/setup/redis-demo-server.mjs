// @ts-check
// The process behind redis-demo.mjs: tells its port to the launcher and ends with it.
import { createRedisMock } from 'js-redis-server';

const { port } = await createRedisMock();
process.on('disconnect', () => process.exit());
process.send?.(port);
