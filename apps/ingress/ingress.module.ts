import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { BotLoopGuard, GroupHistory, Pairings } from '#access';
import { Platform } from '#host';
import { RequestLimiter, UsageAccount } from '#limits';
import { AnswerLease } from '#sessions';
import { CallerLimit } from './access/caller-limit.js';
import { Callers } from './access/callers.js';
import { RequestRules } from './access/request-rules.js';
import { SessionAccess } from './access/session-access.js';
import { Board } from './board/board.js';
import { BoardQueues } from './board/board-queues.js';
import { BoardSession } from './board/board-session.js';
import { Commands } from './commands/commands.service.js';
import { CONTROL_COMMANDS } from './commands/control-commands.js';
import { EventReader } from './events/event-reader.js';
import { EventsController } from './events/events.controller.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RedisCalls } from './http/redis-calls.js';
import { Stopping } from './http/stopping.js';
import { ConnectedInvocation } from './invoke/connected-invocation.js';
import { Invocation } from './invoke/invocation.js';
import { InvokeController } from './invoke/invoke.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { SessionTools } from './mcp/session-tools.service.js';
import { MessageIntake } from './messages/message-intake.js';
import { MessagesController } from './messages/messages.controller.js';
import { QueueController } from './messages/queue.controller.js';
import { SessionsController } from './messages/sessions.controller.js';
import { AgentModels } from './openai/agent-models.js';
import { AgentRequests } from './openai/agent-requests.service.js';
import { ChatController } from './openai/chat.controller.js';
import { ClientSessions } from './openai/client-sessions.js';
import { ModelsController } from './openai/models.controller.js';
import { ResponsesController } from './openai/responses.controller.js';
import { ChannelsController } from './operations/channels.controller.js';
import { ConfigController } from './operations/config.controller.js';
import { DeadLettersController } from './operations/dead-letters.controller.js';
import { InvokeToolController } from './tools/invoke-tool.controller.js';
import { KnownTools } from './tools/known-tools.js';
import { ToolsController } from './tools/tools.controller.js';
import { LimitsController } from './operations/limits.controller.js';
import { PluginRoutesController } from './operations/plugin-routes.controller.js';
import { UsageController } from './operations/usage.controller.js';
import { QueuesController } from './operations/queues.controller.js';
import { ParkAnswers } from './parks/park-answers.service.js';
import { ParksController } from './parks/parks.controller.js';
import { ControlReplies } from './replies/control-replies.service.js';
import { Routes } from './routing/routes.service.js';
import { PairingController } from './senders/pairing.controller.js';
import { PairingService } from './senders/pairing.service.js';
import { SenderAccess } from './senders/sender-access.service.js';
import { DeliveryReports } from './webhooks/delivery-reports.js';
import { WebhookEvents } from './webhooks/webhook-events.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

const limiter = {
  provide: RequestLimiter,
  inject: [Platform],
  useFactory: ({ request, keyspace }: Platform) => new RequestLimiter(request, keyspace),
};

const usageAccount = {
  provide: UsageAccount,
  inject: [Platform],
  useFactory: ({ request, keyspace }: Platform) => new UsageAccount(request, keyspace),
};

const answerLease = {
  provide: AnswerLease,
  inject: [Platform],
  useFactory: ({ request, keyspace }: Platform) => new AnswerLease(request, keyspace),
};

/** Who is heard, in Redis. */
const stores = [Pairings, GroupHistory, BotLoopGuard].map((store) => ({
  provide: store,
  inject: [Platform],
  useFactory: ({ request, keyspace }: Platform) => new store(request, keyspace),
}));

/** Everything that comes in over HTTP: API, webhooks, board. Needs CoreModule, and Fastify as startIngress makes it. */
@Module({
  controllers: [
    MessagesController,
    InvokeController,
    SessionsController,
    QueueController,
    ParksController,
    EventsController,
    WebhooksController,
    ChannelsController,
    ToolsController,
    InvokeToolController,
    ConfigController,
    LimitsController,
    PluginRoutesController,
    QueuesController,
    UsageController,
    DeadLettersController,
    PairingController,
    ModelsController,
    ChatController,
    ResponsesController,
    McpController,
  ],
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    limiter,
    answerLease,
    usageAccount,
    RequestRules,
    Callers,
    CallerLimit,
    Routes,
    SessionAccess,
    RedisCalls,
    Stopping,
    MessageIntake,
    ParkAnswers,
    Commands,
    KnownTools,
    ...CONTROL_COMMANDS,
    EventReader,
    Invocation,
    ConnectedInvocation,
    AgentModels,
    ClientSessions,
    AgentRequests,
    SessionTools,
    ControlReplies,
    ...stores,
    SenderAccess,
    PairingService,
    DeliveryReports,
    WebhookEvents,
    Board,
    BoardQueues,
    BoardSession,
  ],
  exports: [Callers, CallerLimit, RedisCalls, SessionAccess, Commands, MessageIntake, EventReader, Stopping],
})
export class IngressModule {}
