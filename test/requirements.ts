import { traps, type Requirement } from './seed-traps.js';

/**
 * What Turnpike promises: id -> behaviour -> source. A test cites the ids it proves at the start of its title (proves.ts), and
 * requirements-reporter.ts ends a full run with what no passing test has cited. Building one = taking its id out of `notYetBuilt`.
 */
const ingress = from('mission', {
  'IN-1':
    'channel plugins take events in; the raw bytes are verified in constant time before parsing, a missing secret closes the route',
  'IN-2': 'every message becomes one normalised envelope; unknown extra fields are tolerated',
  'IN-3': 'the ack or cursor advance follows the durable write, inside the deadline of the channel',
  'IN-4': 'a platform event is accepted once by all replicas; its duplicate gets the first answer, and never before it is stored',
  'IN-5': 'the session API sends, waits or streams; a caller reaches only its own sessions; the curl tests of seed 003 run',
  'IN-6': 'every route asks for scoped bearer auth and keeps shared rate and body limits; refusals are problem+json',
  'IN-7': 'one replica owns a socket or poll account, by a fenced lease that is released before a takeover',
  'IN-8': 'DM and group policies, mention gating, owners and the bot-loop guard decide who is heard',
  'IN-9': 'OpenAI-compatible models, chat completions and responses, with streaming',
  'IN-10': 'generic webhooks come in through mappings, Standard Webhooks go out',
});

const tenants = from('mission', {
  'TN-1': 'nothing of one tenant can be named from another; a single tenant needs no tenant words',
});

const routing = from('mission', {
  'RT-1': 'bindings match in one fixed precedence; several agents and no owner is an error',
  'RT-2': 'session keys follow dmScope, groups, threads and topics, per tenant, safe against injection',
  'RT-3': 'sessions reset never, daily or after idling; /new archives',
  'RT-4': 'control commands answer at once, ordered ones keep their place, unauthorised ones do nothing',
});

const queueing = from('mission', {
  'QU-1': 'the lane protocol on per-session queues, with global concurrency and rate enforced in Redis',
  'QU-2': 'followup, steer, collect, interrupt, reject; inbound debounce, its cap and its drop notices',
  'QU-3': 'a running turn, a queued one or all are cancelled from any replica; partial output is kept and marked',
  'QU-4': 'no session, tenant or class starves another',
  'QU-5': 'runners share the request and token limits of a model key; a 429 pauses the key for all',
  'QU-6': 'typing shows at accept; queue position and age are visible',
});

const turns = from('mission', {
  'TU-1': 'journal, fence, resume and the in-doubt policy',
  'TU-2': 'the turn loop runs to an answer within its limits on steps, time, tokens and cost',
  'TU-3': 'hooks run in order, in time, and fail open or closed by kind',
  'TU-4': 'every tool is wrapped by hooks with loop detection, and by merged abort signals',
  'TU-5': 'a tool failure is an observation; a tool that keeps failing is withheld; unknown names are mended or answered',
  'TU-6': 'overflow compacts, then cuts results, then says so and suggests /new',
  'TU-7': 'approvals and questions park the turn without a slot and survive restarts',
  'TU-8': 'silent replies, reasoning, raw tool results and broken streams never reach a channel as an answer',
  'TU-9': 'results of pure tools are reused in a turn, and across turns for a declared time',
});

const models = from('mission', {
  'MO-1': 'OpenAI, compatible, Anthropic, Google, Ollama and scripted providers, each a plugin',
  'MO-2': 'one event union for all streams; idle watchdog; an abort closes the socket',
  'MO-3': 'error classes, key rotation, then model fallback within 2 s, with shared cooldowns',
  'MO-4': 'transcripts are stored neutral and adapted to each provider',
  'MO-5': 'usage and cost per turn, session, agent and tenant; budgets stop a turn before it starts',
  'MO-6': 'a small utility model does the routine work; usage is split by tier',
});

const tools = from('mission', {
  'TO-1': 'the message tool sends immediately by default, batched on request, as its two config values say',
  'TO-2': 'plugins are written against the SDK alone and reply through the fenced send',
  'TO-3': 'plugin manifests are read and checked without running plugin code',
  'TO-4': 'MCP servers connect on first call, once per process, over three transports, failures isolated',
  'TO-5': 'one versioned tool catalog, the same merge for every kind of session',
  'TO-6': 'tools are invoked over HTTP under the policy and identity of the caller',
  'TO-7': 'tool policy by profile, group, tenant, agent, channel, sender, provider; deny wins',
  'TO-8': 'at least 25 native tools, safe against SSRF and stale edits, exec only sandboxed',
  'TO-9': 'plugins and skills install pinned, with the manifest shown first, for the whole fleet',
  'TO-10': 'OpenClaw tool plugins load unchanged',
  'TO-11': 'Turnpike serves its sessions as an MCP server',
});

const outbound = from('mission', {
  'OUT-1': 'deliveries keep order, limits, retries and maximum age; dead letters are replayed by hand',
  'OUT-2': 'dialects, chunks, media and threads follow the capabilities of the channel; the matrix is generated',
  'OUT-3': 'answers stream as deltas, or as preview edits where the channel can',
  'OUT-4': 'log lines have documented messages and fields; the level changes live',
  'OUT-5': 'the channels',
  'OUT-6': 'media both ways is lazy, bounded and guarded, in a store every runner reads',
});

const context = from('mission', {
  'CX-1': 'the context engine is replaceable; a failing one falls back',
  'CX-2': 'estimates know CJK, pairs are never split, cuts say how to read on',
  'CX-3': 'long-term memory and document search shared by all runners',
  'CX-4': 'idle sessions are archived and come back; users and tenants can be exported and erased',
});

const automation = from('mission', {
  'AU-1': 'cron jobs fire exactly once per fleet',
  'AU-2': 'heartbeat in active hours, quiet when there is nothing to say',
  'AU-3': 'sub-agents within depth and concurrency limits; the parent hears the result',
});

const operations = from('mission', {
  'OP-1': 'npm start and npm test do all their own set-up on a fresh machine',
  'OP-2': 'processes restart by themselves; image, compose file, Kubernetes manifests and chart',
  'OP-3': 'Bull Board behind auth, read-only where a click would break order',
  'OP-4': 'metrics, dashboard, alerts, traces from webhook to reply, redacted JSON logs',
  'OP-5': 'the turnpike command line',
  'OP-6': 'one config file with a published schema, env overrides, hot reload that keeps the old one when bad',
  'OP-7': 'versions mix: unknown newer envelopes wait',
  'OP-8': 'sizing from measured figures; the autoscaling rule simulated on a day of traffic',
  'OP-9': 'operator console in the browser',
  'OP-10': 'an OpenClaw configuration is carried over, with a list of what could not be',
  'OP-11': 'OpenAPI, AsyncAPI and a typed client are generated from the schemas',
  'OP-12': 'Redis standalone, Sentinel, Cluster, TLS, restricted ACL user',
});

const promises = from('protocol 1', {
  G1: 'accepted means durable at the level acknowledged',
  G2: 'one session, one turn at a time, in arrival order; a lost claim writes and sends nothing',
  G3: 'every accepted message reaches exactly one end',
  G4: 'a killed turn resumes from its journal; a finished tool call never runs again',
  G5: 'sends to a conversation leave in order; at most one flagged double per crash, none where the channel dedupes',
  G6: 'every limit is global and shared by all replicas',
  G7: 'an idle session keeps its transcript and a small head, no queue, connection or timer',
  G8: 'one tool catalog; a tool added at run time is there in the next turn',
});

const cases = {
  B001: { behaviour: 'message sends arrive while the turn runs, not in a burst at its end', source: 'openclaw#26224' },
  B002: { behaviour: 'a send does not end the turn', source: 'openclaw#108407' },
  B003: { behaviour: 'restarts and kills lose no queued or running message', source: 'openclaw#51620' },
  B005: { behaviour: 'text between tool calls and message sends keep emission order', source: 'openclaw#11262' },
  B006: { behaviour: 'a second send waits for the first to answer; other chats are not slowed', source: 'openclaw#82703' },
  B007: {
    behaviour: 'while a turn runs commands answer, other sessions are served, and what waits keeps its order',
    source: 'openclaw#54488',
  },
  B008: { behaviour: 'one send per turn after a retry or a fallback, and no listener left behind', source: 'openclaw#103742' },
  B009: { behaviour: 'a blocked event loop loses its lock and can write nothing', source: 'bullmq#3183' },
  B012: { behaviour: 'one update that several ingresses take at once is one message', source: 'openclaw#10641' },
  B013: {
    behaviour: 'a server error or an overload moves on to the next model, and the user sees one answer',
    source: 'openclaw#20999',
  },
  B014: { behaviour: 'a tool call cut in mid-stream leaves a conversation that providers take', source: 'openclaw#50059' },
  B016: { behaviour: 'two messages at once to one session are two turns, one after the other', source: 'deer-flow#1465' },
  B017: { behaviour: 'a cut or empty stream is an error the user hears of, never an empty answer', source: 'openclaw#108958' },
  B018: { behaviour: 'no caller reads or steers a session of another', source: 'openclaw#11793' },
  B021: {
    behaviour: 'an event that a platform posts again is one turn, also when the first copy was lost',
    source: 'vercel/chat#667',
  },
  B024: { behaviour: 'a rollout ends no turn: it finishes, or goes on elsewhere, however often', source: 'twenty#22514' },
  B025: {
    behaviour:
      'after a restart nothing delivered is sent again, what waits is sent once within the rates, what is too old is kept, not sent, and summed up',
    source: 'openclaw#39138',
  },
  B028: { behaviour: 'copies of a message that come inside its quiet window are one message', source: 'openclaw#37528' },
  B010: { behaviour: 'a turn that hangs is ended, and what waited behind it is answered', source: 'openclaw#130810' },
  B027: { behaviour: 'a long answer leaves in chunks that the platform takes, with fences reopened', source: 'openclaw#75868' },
  B029: {
    behaviour:
      'a WhatsApp message that comes again is one; its statuses start no turn, never go back, and a failure shows its code',
    source: 'community-agent#249',
  },
  B030: { behaviour: 'a send proven unsent has one owner of its retry', source: 'openclaw#124279' },
  B031: { behaviour: 'one rate over all session queues and workers, kept through kills', source: 'bullmq#2679' },
  B033: {
    behaviour: 'a compaction blocks nobody, ends by its own timer, and the turn goes on after it',
    source: 'openclaw#70334',
  },
  B035: { behaviour: 'sends, answers and chunks stay in the topic of the message', source: 'openclaw#78724' },
  B036: {
    behaviour: 'what shares a turn has one target, thread and authority; each reply goes to its own chat',
    source: 'openclaw#20486',
  },
  B037: { behaviour: 'reasoning is never shown, sent or kept as text, however its tags are cut', source: 'openclaw#24954' },
  B040: { behaviour: 'a flooded group waits as long as it is told, in order, alone', source: 'openclaw#50866' },
  B041: { behaviour: 'without its secret a channel does not start', source: 'openclaw#13116' },
  B044: { behaviour: 'no process of an MCP server is left, however it is ended', source: 'openclaw#70364' },
  B045: { behaviour: 'what is unsigned, wrongly signed or out of date is refused and has no effect', source: 'openclaw#21926' },
  B046: { behaviour: 'workers go on after pauses, a read-only master and resets', source: 'bullmq#648' },
  B047: { behaviour: 'stop works wherever the turn is, from any replica', source: 'openclaw#11423' },
  B048: {
    behaviour: 'every kind of session is given the same tools; code and manifest that differ fail at start',
    source: 'openclaw#144938',
  },
  B049: { behaviour: 'every send of a turn stays in the thread that was asked in', source: 'openclaw#10837' },
  B050: { behaviour: 'with Redis away every request is answered 503 within 2 s', source: 'bull#2558' },
  B051: {
    behaviour: 'a connection that fails before a byte left is tried again, one that fails after it is a dead letter in doubt',
    source: 'openclaw#152371',
  },
  B054: {
    behaviour: 'calls of compatible servers come whole, without index, id or name in their pieces',
    source: 'openai-python#2806',
  },
  B055: { behaviour: 'all media of a burst reach one turn, an album is one turn', source: 'openclaw#146064' },
  B056: {
    behaviour: 'names, titles and quotes reach the model only inside marks that they cannot close',
    source: 'openclaw#54990',
  },
  B058: {
    behaviour: 'a rest ends by itself, does not escalate after a success, and spares one model, not its key',
    source: 'openclaw#17853',
  },
  B060: { behaviour: 'messages over the cap are dropped with a notice, the rest is one turn', source: 'openclaw#16771' },
  B061: {
    behaviour: 'an MCP session that is gone begins anew, once, and its calls go once more',
    source: 'mcp-typescript-sdk#1708',
  },
  B064: {
    behaviour: 'what can never be delivered ends as a dead letter with its reason, listed and counted, and holds nothing back',
    source: 'openclaw#24353',
  },
  B062: {
    behaviour: 'each chunk of a long answer arrives once and in order, whatever goes wrong in between',
    source: 'openclaw#82858',
  },
  B065: { behaviour: 'a retry keeps its place, for messages and for chunks', source: 'bullmq#2774' },
  B068: { behaviour: 'first messages of a chat that come at once make one session', source: 'chatwoot#14058' },
  B072: { behaviour: 'no deduplication key outlives its owner', source: 'bullmq#4311' },
  B073: { behaviour: 'two bots do not talk to each other for ever, fast or slowly', source: 'openclaw#58789' },
  B074: { behaviour: 'formatting that is refused is sent once as plain text, nothing else is', source: 'message-pusher#88' },
  B078: { behaviour: 'signatures are checked over the raw body, unusual bytes and all', source: 'stripe-node#341' },
  B079: { behaviour: 'an id from outside is never a path, nor a part of another key', source: 'claw-code#3243' },
  B085: { behaviour: 'tool names with blanks, prefixes or another case find their tool', source: 'openclaw#11441' },
  B087: { behaviour: 'connections per process do not grow with sessions', source: 'bull#1806' },
  B088: {
    behaviour: 'an MCP server that lists slowly keeps its tools, one that hangs costs only its own',
    source: 'openclaw#137379',
  },
  B090: { behaviour: 'a cancel closes the stream of the provider and leaves nothing open', source: 'pi#8586' },
  B092: { behaviour: 'a session that is done costs nothing, and slows no other', source: 'openclaw#114051' },
  B094: { behaviour: 'an id seen before is never accepted and then not run', source: 'bullmq#1337' },
  B099: {
    behaviour: 'no number of sessions, users, tools or errors makes more series, and scrapes stay quick',
    source: 'litellm#12159',
  },
  B103: { behaviour: 'a lost pub/sub link shows in readiness and costs only live deltas', source: 'nest#14044' },
  B108: { behaviour: 'event streams and job results of finished sessions do not pile up', source: 'bullmq#1070' },
  B112: { behaviour: 'all keys of a script share a slot', source: 'bullmq#459' },
  B113: { behaviour: 'errors are told by their status, not by a number in their text', source: 'openclaw#94827' },
  B118: { behaviour: 'a 404 ends an MCP session only where it speaks of that session', source: 'mcp-typescript-sdk#2660' },
} as const satisfies Record<string, Requirement>;

export const requirementGroups = {
  Ingress: ingress,
  Tenants: tenants,
  Routing: routing,
  Queueing: queueing,
  Turns: turns,
  Models: models,
  Tools: tools,
  Outbound: outbound,
  Context: context,
  Automation: automation,
  Operations: operations,
  Promises: promises,
  Cases: cases,
  'Seed traps': traps,
};

export const requirements = {
  ...ingress,
  ...tenants,
  ...routing,
  ...queueing,
  ...turns,
  ...models,
  ...tools,
  ...outbound,
  ...context,
  ...automation,
  ...operations,
  ...promises,
  ...cases,
  ...traps,
};

export type RequirementId = keyof typeof requirements;

/** Nothing may stand here that is built: a full run fails when an id outside this set has no passing test. */
export const notYetBuilt: ReadonlySet<string> = idsIn(`
  IN-1 IN-3 IN-7 IN-10
  TO-3 TO-8 TO-9
  OUT-5 OUT-6
  CX-3 CX-4
  AU-1 AU-2 AU-3
  OP-5 OP-6 OP-9 OP-10 OP-11
  T6
`);

function idsIn(list: string): ReadonlySet<string> {
  const ids = list.split(/\s+/).filter(Boolean);
  for (const id of ids) if (!(id in requirements)) throw new Error(`notYetBuilt names ${id}, which is no requirement`);
  return new Set(ids);
}

function from<Id extends string>(source: string, behaviours: Record<Id, string>): Record<Id, Requirement> {
  const entries = Object.entries<string>(behaviours).map(([id, behaviour]) => [id, { behaviour, source }]);
  return Object.fromEntries(entries) as Record<Id, Requirement>;
}
