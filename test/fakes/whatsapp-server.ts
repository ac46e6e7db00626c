import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';

/** A request to send, as it arrived, whatever became of it. */
export interface WhatsAppCall {
  /** performance.now() */
  at: number;
  to: string;
  body: Record<string, unknown>;
  answered: Answered;
}

/** What the chat shows. */
export interface WhatsAppPost {
  wamid: string;
  to: string;
  type: string;
  /** Of a text, a caption, a question or a template. */
  text: string;
  quotes: string | undefined;
  /** The whole message. */
  message: SentMessage;
}

export interface WhatsAppServer {
  url: string;
  /** All but reads. */
  calls: WhatsAppCall[];
  posts: WhatsAppPost[];
  /** Ids of messages that were marked as read with the sign of an answer under way. */
  typing: string[];
  /** Of the media that a GET finds, by id: what it answers with. */
  media: Map<string, { mime: string; bytes: string }>;
  fail(...faults: Fault[]): void;
  /** The next `count` posts of a chat, each given once. */
  nextMessages(to: string, count: number): Promise<WhatsAppPost[]>;
  close(): Promise<void>;
}

const ids = z.string().min(1).max(256);
const titled = (length: number) => z.string().min(1).max(length);
const replyButtons = z.object({
  type: z.literal('button'),
  body: z.object({ text: titled(1024) }),
  action: z.object({
    buttons: z
      .array(z.object({ type: z.literal('reply'), reply: z.object({ id: ids, title: titled(20) }) }))
      .min(1)
      .max(3)
      .refine((buttons) => new Set(buttons.map(({ reply }) => reply.title)).size === buttons.length, 'equal titles'),
  }),
});
const list = z.object({
  type: z.literal('list'),
  body: z.object({ text: titled(4096) }),
  action: z.object({
    button: titled(20),
    sections: z.tuple([
      z.object({
        title: titled(24),
        rows: z
          .array(z.object({ id: z.string().min(1).max(200), title: titled(24), description: titled(72).optional() }))
          .min(1)
          .max(10),
      }),
    ]),
  }),
});
const link = z.object({ link: z.url(), caption: z.string().max(1024).optional(), filename: z.string().optional() });
const to = { messaging_product: z.literal('whatsapp'), to: z.string().regex(/^\d+$/), recipient_type: z.literal('individual') };
const context = {
  context: z.object({ message_id: z.string().startsWith('wamid.') }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};
const parameter = z.object({
  type: z.literal('text'),
  text: z
    .string()
    .min(1)
    .regex(/^(?!.*( {5}|[\n\t]))/),
});

/** What the Cloud API takes, with its own limits. */
const messageSchema = z.discriminatedUnion('type', [
  z.object({
    ...to,
    ...context,
    type: z.literal('text'),
    text: z.object({ body: z.string().regex(/\S/).max(4096), preview_url: z.boolean() }),
  }),
  z.object({
    ...to,
    ...context,
    type: z.literal('interactive'),
    interactive: z.discriminatedUnion('type', [replyButtons, list]),
  }),
  z.object({ ...to, ...context, type: z.literal('image'), image: link }),
  z.object({ ...to, ...context, type: z.literal('audio'), audio: z.strictObject({ link: z.url() }) }),
  z.object({ ...to, ...context, type: z.literal('video'), video: link }),
  z.object({ ...to, ...context, type: z.literal('document'), document: link }),
  z.object({ ...to, ...context, type: z.literal('reaction'), reaction: z.object({ message_id: z.string(), emoji: z.string() }) }),
  z.object({
    ...to,
    ...context,
    type: z.literal('template'),
    template: z.object({
      name: z.string(),
      language: z.object({ code: z.string() }),
      components: z.tuple([z.object({ type: z.literal('body'), parameters: z.tuple([parameter]) })]).optional(),
    }),
  }),
]);
type SentMessage = z.infer<typeof messageSchema>;

const readSchema = z.object({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
  typing_indicator: z.object({ type: z.literal('text') }),
});

/** Named faults as the Graph API words them. */
export const whatsappFault = {
  pairLimit: (): Fault => graphError(400, 131056, '(#131056) (Business Account, Consumer Account) pair rate limit hit'),
  throughput: (): Fault => graphError(429, 130429, '(#130429) Rate limit hit'),
  windowClosed: (): Fault => graphError(400, 131047, '(#131047) Re-engagement message'),
  undeliverable: (): Fault => graphError(400, 131026, '(#131026) Message undeliverable'),
  tokenExpired: (): Fault => graphError(401, 190, 'Error validating access token: Session has expired'),
  appLimit: (): Fault => graphError(400, 4, '(#4) Application request limit reached'),
  unavailable: (): Fault => graphError(503, 131016, '(#131016) Service unavailable'),
  somethingWrong: (): Fault => graphError(500, 131000, '(#131000) Something went wrong'),
  unknownError: (): Fault => graphError(500, 1, 'An unknown error occurred'),
  bare: (status: number): Fault => ({ kind: 'answer', status, body: '<html></html>' }),
};

/** The Graph API of one number: `/messages` with the Cloud API's own checks, and media by id. @param token  of everything else: 401 */
export async function startWhatsAppServer({ token, number }: { token: string; number: string }): Promise<WhatsAppServer> {
  const calls: WhatsAppCall[] = [];
  const posts: WhatsAppPost[] = [];
  const typing: string[] = [];
  const media: WhatsAppServer['media'] = new Map();
  const arrivals = new Arrivals<WhatsAppPost>();
  const post = (message: SentMessage): HttpReply => {
    const shown = shownOf(message, posts.length + 1);
    posts.push(shown);
    arrivals.push(message.to, shown);
    const contacts = [{ input: message.to, wa_id: message.to }];
    return json(200, { messaging_product: 'whatsapp', contacts, messages: [{ id: shown.wamid }] });
  };
  const server = await startScriptedServer({
    isSpared: (request) => request.method === 'GET' || readSchema.safeParse(bodyOf(request)).success,
    record: (request) => {
      const body = bodyOf(request);
      if (request.method === 'GET' || readSchema.safeParse(body).success) return () => undefined;
      const call: WhatsAppCall = { at: request.at, to: String(body['to']), body, answered: 'waiting' };
      calls.push(call);
      return (answered) => Object.assign(call, { answered });
    },
    answer: (request) => {
      if (request.headers.authorization !== `Bearer ${token}`) return reply(whatsappFault.tokenExpired());
      if (request.method === 'GET') return mediaAnswer(request, media, server.url);
      if (!request.path.endsWith(`/${number}/messages`)) return reply(graphError(400, 100, 'Unsupported post request'));
      const read = readSchema.safeParse(bodyOf(request));
      if (read.success) {
        typing.push(read.data.message_id);
        return json(200, { success: true });
      }
      const message = messageSchema.safeParse(bodyOf(request));
      return message.success ? post(message.data) : reply(graphError(400, 100, `Invalid parameter ${message.error.message}`));
    },
  });
  return { ...server, calls, posts, typing, media, nextMessages: (chat, count) => arrivals.next(chat, count) };
}

function shownOf(message: SentMessage, n: number): WhatsAppPost {
  const { to: chat, type, context: quoted } = message;
  return { wamid: `wamid.OUT${n}`, to: chat, type, text: textOf(message), quotes: quoted?.message_id, message };
}

function textOf(message: SentMessage): string {
  switch (message.type) {
    case 'text':
      return message.text.body;
    case 'interactive':
      return message.interactive.body.text;
    case 'image':
      return message.image.caption ?? '';
    case 'video':
      return message.video.caption ?? '';
    case 'document':
      return message.document.caption ?? '';
    case 'template':
      return message.template.components?.[0].parameters[0].text ?? '';
    case 'audio':
    case 'reaction':
      return '';
  }
}

/** First the address of the file, then the file. */
function mediaAnswer({ path }: ReceivedRequest, media: WhatsAppServer['media'], url: string): HttpReply {
  const [, folder, id = ''] = /\/(file|v[\d.]+)\/(\d+)/.exec(path) ?? [];
  const file = media.get(id);
  if (!file) return reply(graphError(400, 100, 'Unsupported get request. Object does not exist'));
  if (folder === 'file') return { status: 200, headers: { 'content-type': file.mime }, body: file.bytes };
  return json(200, {
    messaging_product: 'whatsapp',
    url: `${url}/file/${id}`,
    mime_type: file.mime,
    file_size: file.bytes.length,
    id,
  });
}

function bodyOf({ body }: ReceivedRequest): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(body));
  } catch {
    return {};
  }
}

type AnswerFault = Extract<Fault, { kind: 'answer' }>;

function graphError(status: number, code: number, message: string): AnswerFault {
  const error = {
    message,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details: message },
    fbtrace_id: 'A1',
  };
  return { kind: 'answer', status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) };
}

function reply(fault: Fault): HttpReply {
  if (fault.kind !== 'answer') throw new Error('only answers are replies');
  return { body: '', ...fault };
}

function json(status: number, body: unknown): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
