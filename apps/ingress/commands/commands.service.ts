import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import type { Envelope } from '#contracts';
import { parseCommand, specOf, type CommandName } from '#routing';
import { Problem } from '../http/problem.js';
import type { ControlAnswer } from './control-command.js';
import { ControlRegistry } from './control-registry.js';
import { mayCommand } from '../senders/owners.js';

/** A control command was obeyed. */
export type CommandDone = Extract<ControlAnswer, { reply: string }> & { kind: 'done'; command: CommandName };

export type Read =
  /** For the session's mailbox. */
  | { kind: 'message'; envelope: Envelope }
  | CommandDone
  /** A command of somebody who may not: nothing happens and nothing is said (RT-4). */
  | { kind: 'ignored' };

export type CommandAnswer = Readonly<Record<string, unknown>> & { command: CommandName; reply: string };

/** Where a message is read for commands, once (RT-4). */
@Injectable()
export class Commands {
  constructor(
    private readonly registry: ControlRegistry,
    private readonly config: ConfigSource,
  ) {}

  /**
   * Does at once what a control command asks for. Throws UnavailableError: nothing was done, or it may be asked again.
   * @param ttlMs how long the command is recognised when it comes again
   */
  async read(envelope: Envelope, ttlMs = this.config.current.lanes.idempotencyTtlMs): Promise<Read> {
    const asked = commandIn(envelope);
    if (!asked) return { kind: 'message', envelope };
    const { name, args } = asked;
    const spec = specOf(name);
    if (!mayCommand(spec, envelope, this.config.current)) return { kind: 'ignored' };
    if (spec.kind === 'ordered') return { kind: 'message', envelope: { ...envelope, kind: 'command', command: { name, args } } };
    const answer = await this.registry.find(name).run({ envelope, args, askedBy: { id: envelope.id, ttlMs } });
    if ('message' in answer) return { kind: 'message', envelope: answer.message };
    return { kind: 'done', command: name, ...answer };
  }
}

/** What a caller of the API reads. @throws Problem 403 for a command that is not for everybody */
export function commandAnswer(read: Exclude<Read, { kind: 'message' }>): CommandAnswer {
  if (read.kind === 'ignored') throw new Problem(403, 'not-an-owner', 'This command is for owners of the agent.');
  const { command, reply, details = {} } = read;
  return { ...details, command, reply };
}

function commandIn({ kind, text, media, platform }: Envelope) {
  if (kind !== 'message' || media.length > 0) return undefined;
  const parsed = parseCommand(text);
  // In a group the bot named behind a command may be another one.
  const forUs = !parsed?.addressed || platform.mentionsBot || platform.chatType === 'direct';
  return forUs ? parsed : undefined;
}
