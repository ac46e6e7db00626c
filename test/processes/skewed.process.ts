import { z } from 'zod';

/** Another process of test/processes on a host whose clock is wrong by TEST_SKEW_MS. */
const { TEST_SKEW_MS, TEST_PROGRAM } = z.object({ TEST_SKEW_MS: z.coerce.number(), TEST_PROGRAM: z.string() }).parse(process.env);
const { now } = Date;
Date.now = () => now() + TEST_SKEW_MS;
await import(`./${TEST_PROGRAM}.process.js`);
