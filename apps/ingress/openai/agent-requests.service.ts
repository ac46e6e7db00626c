import { Injectable } from '@nestjs/common';
import { agentConfig, ConfigSource, goneAgent } from '#config';
import type { Envelope, Usage } from '#contracts';
import type { Caller } from '../access/callers.js';
import type { SessionPlace } from '../access/session-access.js';
import { commandAnswer, Commands } from '../commands/commands.service.js';
import { Problem, unavailable } from '../http/problem.js';
import { Stopping } from '../http/stopping.js';
import { ConnectedInvocation, type Connection } from '../invoke/connected-invocation.js';
import type { InvocationStep } from '../invoke/invocation.js';
import { apiEnvelope } from '../messages/api-envelope.js';
import { AgentModels } from './agent-models.js';
import { answerText, howToAnswer, lastWord } from './answer-text.js';
import { ClientSessions } from './client-sessions.js';
import type { Asked } from './said.js';
import { StreamedText } from './streamed-text.js';
import { notAgain, turnProblem } from './turn-problem.js';

const STOPS =
  'This server stops; the message is stored and its turn goes on. The same request with the same Idempotency-Key waits on.';

export interface AgentRequest {
  model: string;
  asked: Asked;
  /** Named by the client: its stored conversation counts. */
  session: string | null | undefined;
  previousResponse?: string | null | undefined;
  idempotencyKey: string | undefined;
}

export interface Addressed {
  envelope: Envelope;
  /** The session was made for this request. */
  isFresh: boolean;
}

/** What a client reads: words as they come, at last the whole. */
export type Speech = { words: string } | { answer: { text: string; usage: Usage | undefined } };

/** A request of an OpenAI client as one message to an agent, with whatever becomes of it (IN-9). */
@Injectable()
export class AgentRequests {
  constructor(
    private readonly models: AgentModels,
    private readonly clients: ClientSessions,
    private readonly commands: Commands,
    private readonly invocation: ConnectedInvocation,
    private readonly config: ConfigSource,
    private readonly stopping: Stopping,
  ) {}

  /** @throws Problem 400, 403, 404 */
  async address(caller: Caller, { model, asked, session, previousResponse, idempotencyKey }: AgentRequest): Promise<Addressed> {
    const agent = this.models.find(caller, model);
    const name = session ?? caller.session;
    const known = await (previousResponse == null
      ? name === undefined
        ? undefined
        : this.clients.named(caller, agent, name)
      : this.clients.ofResponse(caller, agent, previousResponse));
    const place: SessionPlace = known ?? this.clients.fresh(caller, agent, idempotencyKey);
    const { instructions, conversation, body } = asked;
    const keepMs = this.clients.keptFor(place);
    const client = {
      ...(instructions && { instructions }),
      ...(!known && conversation.length > 0 && { conversation }),
      ...(keepMs !== undefined && { keepMs }),
    };
    return { envelope: { ...apiEnvelope(caller, place, body, idempotencyKey), client }, isFresh: !known };
  }

  /**
   * Stores the message, or obeys the command that it is. The speech ends without an answer when the client has gone.
   * @throws like Invocation; the speech: Problem for a turn that was not answered, 503 when the server stops
   */
  async begin({ envelope, isFresh }: Addressed, connection: Connection): Promise<AsyncGenerator<Speech, void, void>> {
    const read = await this.commands.read(envelope);
    if (read.kind !== 'message') return spoken(commandAnswer(read).reply);
    const steps = await this.invocation.begin(read.envelope, connection);
    return this.speech(steps, { envelope: read.envelope, isFresh }, connection.keyed);
  }

  private async *speech(
    steps: AsyncGenerator<InvocationStep, void, void>,
    { envelope: { tenant, agent }, isFresh }: Addressed,
    keyed: boolean,
  ): AsyncGenerator<Speech, void, void> {
    // Without narration nobody knows, while a text comes, whether it is the answer.
    const { narration } = agentConfig(this.config.current, tenant, agent) ?? goneAgent;
    const streamed = new StreamedText(narration);
    try {
      for await (const step of steps) {
        if ('event' in step) {
          yield { words: streamed.add(step.event.event) };
          continue;
        }
        const { answer } = step;
        const problem = turnProblem(answer);
        if (problem) throw problem;
        const how = isFresh ? howToAnswer(answer) : '';
        yield { words: streamed.end(lastWord(answer)) + how };
        return yield { answer: { text: answerText(answer) + how, usage: answer.usage } };
      }
    } catch (error) {
      // With a key it is the same message.
      throw error instanceof Problem && !keyed ? notAgain(error) : error;
    }
    if (this.stopping.signal.aborted) throw keyed ? unavailable(STOPS) : notAgain(unavailable(STOPS));
  }
}

async function* spoken(text: string): AsyncGenerator<Speech, void, void> {
  yield { words: text };
  yield { answer: { text, usage: undefined } };
}
