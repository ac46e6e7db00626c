import type { MessageId, SessionKey } from '#kernel';

const ID = /^resp_(m[\w-]{23})\.(.+)$/;

/** Names the message and its session, so that whoever may use that session can go on from it, on any replica. */
export function responseId(session: SessionKey, message: MessageId): string {
  return `resp_${message}.${session}`;
}

/** Unchecked: the session is judged like any that a caller names. undefined for what was not made here. */
export function readResponseId(id: string): { message: MessageId; session: string } | undefined {
  const [, message, session] = ID.exec(id) ?? [];
  return message === undefined || session === undefined ? undefined : { message: message as MessageId, session };
}
