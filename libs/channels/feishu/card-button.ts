import { z } from 'zod';
import type { Button, Target } from '#contracts';

/**
 * What a button of ours carries beside its data: a pressed one comes back without its topic and without the kind of its
 * chat, and the session needs both. Feishu signs it on the way back; nobody else can write it.
 */
const valueSchema = z.object({ turnpike: z.object({ data: z.string(), direct: z.boolean(), thread: z.string().optional() }) });
export type ButtonValue = z.infer<typeof valueSchema>['turnpike'];

export function valueOf({ data }: Button, { thread, chatType }: Target): z.infer<typeof valueSchema> {
  return { turnpike: { data, direct: chatType === 'direct', ...(thread !== undefined && { thread }) } };
}

/** Undefined: a card of somebody else. */
export function readValue(value: unknown): ButtonValue | undefined {
  return valueSchema.safeParse(value).data?.turnpike;
}
