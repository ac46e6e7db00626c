import type { Envelope } from '#contracts';
import type { CommandName } from '#routing';
import type { AskedBy } from '#sessions';

/** A command as somebody wrote it. */
export interface AskedCommand {
  envelope: Envelope;
  /** What follows the name, trimmed; as many words as the table allows. */
  args: string;
  /** Its message: coming again, it changes nothing again. */
  askedBy: AskedBy;
}

export type ControlAnswer =
  | {
      reply: string;
      /** The same for programs, in the answer of the API. */
      details?: Readonly<Record<string, unknown>>;
      /** The session's turn answers in the chat itself: no reply goes there. */
      turnAnswers?: boolean;
    }
  /** What was asked for is done by giving the session this message. */
  | { message: Envelope };

/** One command that acts past the mailbox (RT-4): within a second, on any replica, whatever runs in the session. Register it in control-commands.ts. */
export interface ControlCommand {
  readonly name: CommandName;
  run(asked: AskedCommand): Promise<ControlAnswer> | ControlAnswer;
}
