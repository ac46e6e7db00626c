import type { DeliveryMode, JournalEntry, MediaType, Receipt, SendExtras } from '#contracts';

/** What every fenced step answers (steering and /stop cost no extra round trip). */
export interface StepReply {
  /** A cancel that names this turn is pending. */
  cancelled: boolean;
  /** A message waits that wants to join this turn (QU-2). */
  joins: boolean;
}

export interface SendRequest extends SendExtras {
  /** What asked for it: a tool call id or `text:<step>`. The same key again is the same send. */
  key: string;
  text: string;
  mode: Extract<DeliveryMode, 'immediate' | 'batched' | 'narration'>;
  fellBack: boolean;
}

/** What became of an immediate send when the bounded wait ended. */
export type SendState =
  | { state: 'delivered'; sequenceInTurn: number; receipt: Receipt }
  /** Stored and on its way; nobody may send it again. */
  | { state: 'queued'; sequenceInTurn: number; queuedAt: number };

/** What the channel of a conversation can do with messages, beside sending text (OUT-2). */
export interface MessageAbilities {
  reply: boolean;
  edit: boolean;
  delete: boolean;
  react: boolean;
  /** Most of one message. */
  buttons: number;
  media: readonly MediaType[];
}

/** A channel that takes text and nothing else. */
export const PLAIN_TEXT: MessageAbilities = { reply: false, edit: false, delete: false, react: false, buttons: 0, media: [] };

/** The agent's only way out of a session: journalled, fenced, in order. */
export interface TurnSends {
  /** Whether the channel of this conversation can send before the turn ends. */
  readonly canSendNow: boolean;
  readonly abilities: MessageAbilities;
  /**
   * A message of this conversation and no other, as the platform calls it: the one with this id, or the newest. `own`: one
   * that the agent sent; `seen`: that, or one it was shown. undefined: there is none.
   */
  findMessage(whose: 'own' | 'seen', id?: string): Promise<string | undefined>;
  /** Journals the row, relays it at once and waits, bounded, for its receipt. Throws LeaseLostError. */
  now(request: SendRequest): Promise<SendState>;
  /** Journals the row; it leaves with the commit, behind all immediate ones. Throws LeaseLostError. */
  atEnd(request: SendRequest): Promise<{ sequenceInTurn: number; queuedAt: number }>;
}

/** Appends entries to the turn's journal in one fenced write. Throws LeaseLostError when the claim is gone. */
export type Step = (entries: readonly JournalEntry[]) => Promise<StepReply>;

/** What two calls must have in common to share a result. */
export interface SharedCall {
  tenant: string;
  tool: string;
  /** Of the tool's parameters and description: a tool that changes starts anew. */
  version: string;
  /** Canonical JSON. */
  arguments: string;
}

/** Results of pure tools that turns and sessions of one tenant share (TU-9). Best effort: none is always right. */
export interface SharedResults {
  read(call: SharedCall): Promise<string | undefined>;
  /** @param ttlMs how old a result may become */
  write(call: SharedCall, text: string, ttlMs: number): Promise<void>;
}
