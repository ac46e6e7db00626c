import type { DeliveryMode, TurnOutcome } from '#contracts';
import type { Logger } from './logger.js';

/** The stable messages of OUT-4: people grep for them and alerts count them. Renaming one is a breaking change (docs/logs.md). */
export const LOG_LINES = {
  turnStarted: 'Turn started',
  toolCall: 'Tool call',
  messageQueued: 'Message queued',
  messageDelivered: 'Message delivered',
  messageFellBack: 'Message fell back to batch',
  turnEnded: 'Turn ended',
} as const;

interface OfTurn {
  turnId: string;
  session: string;
  tenant: string;
}

export interface TurnStarted extends OfTurn {
  agent: string;
  /** Messages the turn answers. */
  messageIds: readonly string[];
  /** 1 for the first, more after a crash. */
  attempt: number;
  text?: string | undefined;
}

export interface ToolCalled extends OfTurn {
  tool: string;
  callId: string;
  durationMs: number;
  isError: boolean;
  arguments?: string | undefined;
}

export interface OfMessage extends OfTurn {
  deliveryMode: DeliveryMode;
  /** From 1: the order in which the agent emitted the messages of the turn. */
  sequenceInTurn: number;
  text?: string | undefined;
}

export interface MessageDelivered extends OfMessage {
  channel: string;
  /** Redis time, ms since the epoch. */
  deliveredAt: number;
  platformIds: readonly string[];
  possibleDuplicate: boolean;
}

export interface TurnEnded extends OfTurn {
  outcome: TurnOutcome;
  /** Stable code, where there is one. */
  reason?: string | undefined;
  durationMs: number;
  steps: number;
  immediateCount: number;
  batchedCount: number;
}

/** Writes the lines of OUT-4. Texts and arguments are written only when `content` is set. */
export class TurnLog {
  private readonly logger: Logger;

  constructor(
    logger: Logger,
    private readonly options: { content: boolean },
  ) {
    // The fields of these lines are the ones below: looking for secret-sounding ones costs as much as the line itself.
    this.logger = logger.child({}, { redact: [] });
  }

  turnStarted({ text, ...fields }: TurnStarted): void {
    this.logger.info({ ...fields, ...this.content({ text }) }, LOG_LINES.turnStarted);
  }

  toolCall({ arguments: args, ...fields }: ToolCalled): void {
    this.logger.info({ ...fields, ...this.content({ arguments: args }) }, LOG_LINES.toolCall);
  }

  /** The message is stored and on its way, or waits for the end of the turn. */
  messageQueued({ text, ...fields }: OfMessage): void {
    this.logger.info({ ...fields, ...this.content({ text }) }, LOG_LINES.messageQueued);
  }

  messageDelivered({ text, ...fields }: MessageDelivered): void {
    this.logger.info({ ...fields, ...this.content({ text }) }, LOG_LINES.messageDelivered);
  }

  /** An immediate send could not leave and joined the batch. */
  messageFellBack({ text, ...fields }: OfMessage & { error: string }): void {
    this.logger.warn({ ...fields, fellBackToBatch: true, ...this.content({ text }) }, LOG_LINES.messageFellBack);
  }

  turnEnded(fields: TurnEnded): void {
    this.logger.info(fields, LOG_LINES.turnEnded);
  }

  private content(fields: { text?: string | undefined; arguments?: string | undefined }): typeof fields {
    return this.options.content ? fields : {};
  }
}
