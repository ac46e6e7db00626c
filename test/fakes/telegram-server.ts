import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';
import { readTelegramHtml } from './telegram-html.js';

/** One request as it arrived, whatever became of it. */
export interface TelegramCall {
  /** performance.now() */
  at: number;
  method: string;
  token: string;
  chatId: string;
  threadId: number | undefined;
  replyTo: number | undefined;
  parseMode: string | undefined;
  /** As it was sent, with tags. */
  text: string;
  answered: Answered;
  /** performance.now(); undefined while the request waits. */
  answeredAt: number | undefined;
}

/** What the chat shows. */
export interface TelegramPost {
  messageId: number;
  chatId: string;
  threadId: number | undefined;
  replyTo: number | undefined;
  /** Without tags. */
  text: string;
  /** Of the inline keyboard, row by row: what is pressed comes back as callback_data. */
  buttons: { text: string; data: string }[];
}

/** Somebody is shown that an answer is being made. */
export interface TelegramAction {
  /** performance.now() */
  at: number;
  chatId: string;
  threadId: number | undefined;
  action: string;
}

export interface TelegramServer {
  url: string;
  /** All but chat actions. */
  calls: TelegramCall[];
  actions: TelegramAction[];
  posts: TelegramPost[];
  fail(...faults: Fault[]): void;
  /** The next `count` posts of a chat, each given once. */
  nextMessages(chatId: string, count: number): Promise<TelegramPost[]>;
  close(): Promise<void>;
}

/** The Bot API takes 1 to 64 bytes. */
const buttonSchema = z.object({
  text: z.string().min(1),
  callback_data: z.string().refine((data) => data !== '' && Buffer.byteLength(data) <= 64),
});

const sendMessageSchema = z.object({
  chat_id: z.coerce.string(),
  text: z.string(),
  message_thread_id: z.number().optional(),
  parse_mode: z.enum(['HTML']).optional(),
  reply_parameters: z.object({ message_id: z.number() }).optional(),
  reply_markup: z.object({ inline_keyboard: z.array(z.array(buttonSchema)) }).optional(),
});
type SendMessage = z.infer<typeof sendMessageSchema>;

const chatActionSchema = z.object({
  chat_id: z.coerce.string(),
  message_thread_id: z.number().optional(),
  action: z.enum(['typing']),
});

const CHAT_ACTION = 'sendChatAction';

/** Named faults as the Bot API words them. */
export const telegramFault = {
  floodWait: (seconds: number): Fault =>
    error(429, `Too Many Requests: retry after ${seconds}`, { parameters: { retry_after: seconds } }),
  serverError: (): Fault => error(500, 'Internal Server Error'),
  /** From a gateway in front of the Bot API. */
  bareServerError: (status = 502): Fault => ({ kind: 'answer', status, body: '<html>Bad Gateway</html>' }),
  blocked: (): Fault => error(403, 'Forbidden: bot was blocked by the user'),
  chatNotFound: (): Fault => error(400, 'Bad Request: chat not found'),
  unauthorized: (): Fault => error(401, 'Unauthorized'),
  cannotParse: (): Fault => error(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 3"),
};

/**
 * A Bot API server: `sendMessage` with Telegram's own checks (token, HTML, 4096 units), every other method answers true.
 * @param options.token  when given, another token is answered 401
 */
export async function startTelegramServer(options: { script?: readonly Fault[]; token?: string } = {}): Promise<TelegramServer> {
  const calls: TelegramCall[] = [];
  const posts: TelegramPost[] = [];
  const actions: TelegramAction[] = [];
  const arrivals = new Arrivals<TelegramPost>();
  const post = (message: SendMessage, text: string): HttpReply => {
    const { chat_id: chatId, message_thread_id: threadId, reply_parameters: reply, reply_markup: markup } = message;
    const buttons = (markup?.inline_keyboard ?? []).flat().map(({ text: label, callback_data: data }) => ({ text: label, data }));
    const shown = { messageId: posts.length + 1, chatId, threadId, replyTo: reply?.message_id, text, buttons };
    posts.push(shown);
    arrivals.push(chatId, shown);
    return ok({ message_id: shown.messageId, date: Math.floor(Date.now() / 1000), chat: { id: chatId }, text });
  };
  const server = await startScriptedServer(
    {
      isSpared: (request) => route(request).method === CHAT_ACTION,
      record: (request) => {
        if (route(request).method === CHAT_ACTION) return () => undefined;
        const call = callOf(request);
        calls.push(call);
        return (answered) => Object.assign(call, { answered, answeredAt: performance.now() });
      },
      answer: (request) => {
        const { token, method } = route(request);
        if (options.token !== undefined && token !== options.token) return reply(error(401, 'Unauthorized'));
        if (method === CHAT_ACTION) return chatAction(request, actions);
        return method === 'sendMessage' ? sendMessage(request, post) : ok(true);
      },
    },
    options.script,
  );
  return { ...server, calls, posts, actions, nextMessages: (chatId, count) => arrivals.next(chatId, count) };
}

function sendMessage(request: ReceivedRequest, post: (message: SendMessage, text: string) => HttpReply): HttpReply {
  const message = readMessage(request);
  if (!message) return reply(error(400, 'Bad Request: malformed parameters'));
  let text = message.text;
  try {
    if (message.parse_mode === 'HTML') ({ text } = readTelegramHtml(message.text));
  } catch (problem) {
    return reply(error(400, `Bad Request: can't parse entities: ${String(problem)}`));
  }
  if (text.trim() === '') return reply(error(400, 'Bad Request: message text is empty'));
  if (text.length > 4096) return reply(error(400, 'Bad Request: message is too long'));
  return post(message, text);
}

function chatAction({ at, body }: ReceivedRequest, actions: TelegramAction[]): HttpReply {
  const asked = chatActionSchema.safeParse(JSON.parse(body)).data;
  if (!asked) return reply(error(400, 'Bad Request: wrong parameter action in request'));
  actions.push({ at, chatId: asked.chat_id, threadId: asked.message_thread_id, action: asked.action });
  return ok(true);
}

function readMessage({ body }: ReceivedRequest): SendMessage | undefined {
  try {
    return sendMessageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function callOf(request: ReceivedRequest): TelegramCall {
  const message = readMessage(request);
  return {
    at: request.at,
    ...route(request),
    chatId: message?.chat_id ?? '',
    threadId: message?.message_thread_id,
    replyTo: message?.reply_parameters?.message_id,
    parseMode: message?.parse_mode,
    text: message?.text ?? '',
    answered: 'waiting',
    answeredAt: undefined,
  };
}

function route({ path }: ReceivedRequest): { token: string; method: string } {
  const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(path) ?? [];
  return { token, method };
}

type AnswerFault = Extract<Fault, { kind: 'answer' }>;

function error(status: number, description: string, more: Record<string, unknown> = {}): AnswerFault {
  return { kind: 'answer', status, body: JSON.stringify({ ok: false, error_code: status, description, ...more }) };
}

function reply({ status, body = '' }: AnswerFault): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function ok(result: unknown): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ok: true, result }) };
}
