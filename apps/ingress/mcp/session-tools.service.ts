import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Platform } from '#host';
import { turnIdOf } from '#kernel';
import { parseSessionKey } from '#routing';
import { listSessions, Sessions } from '#sessions';
import { endpointTool, type EndpointAnswer, type EndpointTool } from '#tools';
import type { Caller } from '../access/callers.js';
import { SessionAccess, type SessionPlace } from '../access/session-access.js';
import { commandAnswer, Commands } from '../commands/commands.service.js';
import { problemOf } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { ConnectedInvocation } from '../invoke/connected-invocation.js';
import type { TurnAnswer } from '../invoke/turn-answer.js';
import { apiEnvelope } from '../messages/api-envelope.js';
import { messageBodySchema, MOST_MESSAGE } from '../messages/message-body.schema.js';
import { MessageIntake } from '../messages/message-intake.js';
import { AgentModels } from '../openai/agent-models.js';
import { ClientSessions } from '../openai/client-sessions.js';

/** Who calls, and the connection that the call hangs on. */
export interface McpCaller {
  caller: Caller;
  reply: FastifyReply;
}

const session = z
  .string()
  .max(256)
  .optional()
  .describe("A session's name or its whole key, as sessions_list shows it; default: the token's own");
const message = messageBodySchema.shape.message.describe(`1 to ${MOST_MESSAGE} characters`);
const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe('Send the same key again to try again safely: the message counts once');

const listSchema = z.strictObject({
  most: z.int().min(1).max(200).default(50).describe('Sessions on this page, about'),
  cursor: z.string().regex(/^\d+$/).optional().describe('nextCursor of the page before'),
});
const historySchema = z.strictObject({ session, last: z.int().min(1).max(200).default(20).describe('Messages') });
const sendSchema = z.strictObject({ session, message, idempotencyKey });
const invokeSchema = z.strictObject({
  ...sendSchema.shape,
  agent: z.string().max(64).optional().describe('An agent by name; default: the one that the session has'),
});

/** What MCP clients may do with sessions: what the token may do over the API, and nothing else. */
@Injectable()
export class SessionTools {
  readonly all: readonly EndpointTool<McpCaller>[] = [this.list(), this.history(), this.send(), this.invoke()];

  constructor(
    private readonly access: SessionAccess,
    private readonly platform: Platform,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
    private readonly commands: Commands,
    private readonly intake: MessageIntake,
    private readonly invocation: ConnectedInvocation,
    private readonly agents: AgentModels,
    private readonly clients: ClientSessions,
  ) {}

  private list(): EndpointTool<McpCaller> {
    return endpointTool({
      name: 'sessions_list',
      description: 'Lists conversations of the tenant, in no order, a page at a time.',
      schema: listSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: ({ most, cursor }, { caller: { caller } }) =>
        answered(async () => {
          const page = await this.page(caller, cursor, most);
          const found = page.sessions.map((key) => ({ session: key, ...parseSessionKey(key) }));
          return asJson({ sessions: found, ...(page.next !== undefined && { nextCursor: page.next }) });
        }),
    });
  }

  /** Whoever has one session sees that one. */
  private async page(caller: Caller, after: string | undefined, most: number) {
    if (caller.session !== undefined && !caller.admin) return { sessions: [this.access.resolve(caller).key], next: undefined };
    const { request, keyspace } = this.platform;
    return this.redis.within(() => listSessions(request, keyspace, { tenant: caller.tenant, after, most }));
  }

  private history(): EndpointTool<McpCaller> {
    return endpointTool({
      name: 'session_history',
      description: 'Reads what was said in a conversation, oldest first.',
      schema: historySchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: ({ session: named, last }, { caller: { caller } }) =>
        answered(async () => {
          const { key } = this.access.resolve(caller, named);
          const records = await this.redis.within(() => this.sessions.transcript(key, last));
          const messages = records.flatMap(({ turn, at, messages: said }) => said.map((one) => ({ ...one, turn, at })));
          return asJson({ session: key, messages: messages.slice(-last) });
        }),
    });
  }

  private send(): EndpointTool<McpCaller> {
    return endpointTool({
      name: 'session_send',
      description: 'Stores a message in a conversation and returns; an agent answers it there later.',
      schema: sendSchema,
      annotations: { destructiveHint: false, openWorldHint: true },
      run: ({ session: named, message: text, idempotencyKey: key }, { caller: { caller } }) =>
        answered(async () => {
          const envelope = apiEnvelope(caller, this.access.resolve(caller, named), { message: text, attachments: [] }, key);
          const read = await this.commands.read(envelope);
          if (read.kind !== 'message') return asJson({ session: envelope.session, ...commandAnswer(read) });
          const { duplicate, position } = await this.intake.acceptKeyed(read.envelope);
          const { id } = envelope;
          return asJson({ session: envelope.session, messageId: id, turnId: turnIdOf(id, 0), position, duplicate });
        }),
    });
  }

  private invoke(): EndpointTool<McpCaller> {
    return endpointTool({
      name: 'agent_invoke',
      description: 'Sends a message to an agent and waits for its answer. The same idempotency key later finds the same answer.',
      schema: invokeSchema,
      annotations: { destructiveHint: false, openWorldHint: true },
      run: ({ session: named, agent, message: text, idempotencyKey: key }, { caller: { caller, reply }, progress }) =>
        answered(async () => {
          const place = this.placeOf(caller, named, agent, key);
          const read = await this.commands.read(apiEnvelope(caller, place, { message: text, attachments: [] }, key));
          if (read.kind !== 'message') return asJson({ session: place.key, ...commandAnswer(read) });
          const keyed = key !== undefined;
          const connection = { reply, keyed, onDisconnect: keyed ? ('continue' as const) : ('cancel' as const) };
          for await (const step of await this.invocation.begin(read.envelope, connection)) {
            if ('answer' in step) return answerOf(step.answer);
            progress(step.event.event.type);
          }
          return { text: 'Nobody waits for the answer any more.', isError: true };
        }),
    });
  }

  private placeOf(caller: Caller, named: string | undefined, agent: string | undefined, key: string | undefined): SessionPlace {
    if (agent === undefined) return this.access.resolve(caller, named);
    const id = this.agents.find(caller, agent);
    const name = named ?? caller.session;
    return name === undefined ? this.clients.fresh(caller, id, key) : this.clients.named(caller, id, name);
  }
}

/** What the API would refuse is an error of the tool, in the same words. */
async function answered(work: () => Promise<EndpointAnswer>): Promise<EndpointAnswer> {
  try {
    return await work();
  } catch (error) {
    const problem = problemOf(error);
    if (!problem) throw error;
    return { text: problem.detail, data: { code: problem.code, status: problem.status }, isError: true };
  }
}

function asJson(data: Record<string, unknown>): EndpointAnswer {
  return { text: JSON.stringify(data), data };
}

/** A turn that ended otherwise is no answer. */
function answerOf(answer: TurnAnswer): EndpointAnswer {
  const { outcome, text, reason, park } = answer;
  const data = { ...answer };
  if (outcome === 'parked') return { text: `It asks a person first: ${park?.title ?? ''}`, data };
  const isError = outcome !== 'answered' && outcome !== 'recorded';
  return {
    text: isError ? `The turn was not answered (${outcome}${reason === undefined ? '' : `: ${reason}`}).` : text,
    data,
    isError,
  };
}
