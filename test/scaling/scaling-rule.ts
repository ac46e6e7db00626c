import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CHECKOUT } from './checkout.js';

const changeSchema = z.strictObject({
  /** The highest (down) or lowest (up) of what was wanted for so long counts. */
  stabilizationS: z.number(),
  /** At most so many, or such a share, whichever is more, in each period. */
  pods: z.number(),
  percent: z.number(),
  periodS: z.number(),
});

const ruleSchema = z.strictObject({
  /** PromQL; one number, the same whichever replica is asked. */
  query: z.string(),
  /** Of one pod: `lanes.*.concurrency`. */
  slots: z.number(),
  /** Of the query, for each pod: slots x 0.7. */
  threshold: z.number(),
  /** Above it the first pod is started. */
  activationThreshold: z.number(),
  minReplicas: z.number(),
  maxReplicas: z.number(),
  pollingIntervalS: z.number(),
  /** The last pod goes when the query has been at or below activationThreshold for so long. */
  cooldownS: z.number(),
  scaleUp: changeSchema,
  scaleDown: changeSchema,
});
export type ScalingRule = z.infer<typeof ruleSchema>;

/** The one place of the constants: the manifests in k8s/ are compared with it. */
export function scalingRules(): { runner: ScalingRule; dispatcher: ScalingRule } {
  const text = readFileSync(`${CHECKOUT}/observability/scaling-rule.json`, 'utf8');
  return z.strictObject({ runner: ruleSchema, dispatcher: ruleSchema }).parse(JSON.parse(text));
}
