import { z } from 'zod';

/** The place in a trace where something was made, as W3C Trace Context writes it: what is done with it later belongs there. */
export const traceContextSchema = z.object({ traceparent: z.string(), tracestate: z.string().optional() });
export type TraceContext = z.infer<typeof traceContextSchema>;
