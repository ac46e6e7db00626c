import { z } from 'zod';
import type { TurnEvent } from '#contracts';
import type { CommandAnswer } from '../commands/commands.service.js';
import type { ChatTurn } from './chat-history.js';

const cursorSchema = z.string().regex(/^\d{1,15}-\d{1,10}$/);

/** What a web chat client says, one JSON object per WebSocket message. `auth` comes first and once. */
export const clientFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('auth'),
    token: z.string().max(1000),
    /** Name or whole key; left out = the token's own session. */
    session: z.string().max(200).optional(),
    /** Cursor of the last event seen on an earlier connection. */
    after: cursorSchema.optional(),
  }),
  /** `id` is the client's own: the same id again is the same message. */
  z.strictObject({ type: z.literal('send'), id: z.string().regex(/^[\x21-\x7e]{1,200}$/), text: z.string() }),
  /** Asks for the turns around and behind a cursor: for questions that were asked elsewhere. */
  z.strictObject({ type: z.literal('history'), after: cursorSchema }),
  /** Stops the turn that runs. */
  z.strictObject({ type: z.literal('stop') }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;
export type AuthFrame = Extract<ClientFrame, { type: 'auth' }>;
export type SendFrame = Extract<ClientFrame, { type: 'send' }>;

/** Stored for good; or a control command and what it said. */
export type Acknowledgement = { messageId: string; turnId: string; sequence: number; duplicate: boolean } | CommandAnswer;

export interface ChatHistory {
  /** As people name it. */
  session: string;
  /** What the client shows is too old to go on from: it starts anew with these turns. */
  reset: boolean;
  /** Committed turns, oldest first. Events of these turns may come again and are to be ignored. */
  turns: ChatTurn[];
  /** Events follow from behind here. */
  cursor: string;
}

export type ServerFrame =
  /** The answer to `auth` and to `history`. */
  | ({ type: 'history' } & ChatHistory)
  | { type: 'event'; cursor: string; event: TurnEvent }
  | ({ type: 'ack'; id: string } & Acknowledgement)
  /** `id` of the send that failed. 429 and 5xx: send it again, with the same id. */
  | { type: 'error'; id?: string; problem: { status: number; type: string; title: string; detail: string } };

/** Close codes of our own (4000-4999 are free for applications). */
export const CLOSE = { badToken: 4401, noAccess: 4403, restart: 1012, tryAgain: 1013, badFrame: 1008 } as const;
