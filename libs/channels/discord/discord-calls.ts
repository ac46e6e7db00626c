import { z } from 'zod';
import type { SendOutcome } from '../channel-port.js';
import { answerJson } from '../delivery-outcome.js';
import type { Called } from './discord-api.js';

export const SNOWFLAKE = /^\d{1,20}$/;

/** An interaction can be answered no more. */
const GONE: readonly (number | undefined)[] = [401, 404];

const createdSchema = z.object({ id: z.string() });

export function isGone(called: Called): boolean {
  return !called.ok && GONE.includes(called.status);
}

/** A 2xx without a message says nothing certain. */
export function created(called: Called): SendOutcome {
  if (!called.ok) return called.outcome;
  const id = answerJson(called.answer, createdSchema)?.id;
  return id === undefined
    ? { kind: 'unknown', reason: `${called.answer.status} without a message` }
    : { kind: 'sent', platformId: id };
}

export function messagePath(channel: string, message: string): string {
  return `channels/${channel}/messages/${encodeURIComponent(message)}`;
}

/** The message that a slash command is answered with. */
export function originalPath(applicationId: string, token: string): string {
  return `webhooks/${applicationId}/${encodeURIComponent(token)}/messages/@original`;
}

/** What is answered is no message but an interaction, named by its token. */
export function isInteraction(replyTo: string | undefined): replyTo is string {
  return replyTo !== undefined && !SNOWFLAKE.test(replyTo);
}
