import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';

/** One request as it arrived, whatever became of it. */
export interface DiscordCall {
  /** performance.now() */
  at: number;
  method: string;
  path: string;
  token: string;
  body: Record<string, unknown>;
  answered: Answered;
  /** performance.now(); undefined while the request waits. */
  answeredAt: number | undefined;
}

/** What a channel shows. */
export interface DiscordPost {
  id: string;
  channel: string;
  content: string;
  replyTo: string | undefined;
  /** Who is notified by it. */
  pinged: string[];
  buttons: { label: string; customId: string }[];
  files: { name: string; text: string }[];
  reactions: string[];
  edited: boolean;
}

export interface DiscordServer {
  url: string;
  /** All but typing. */
  calls: DiscordCall[];
  typing: { at: number; channel: string }[];
  posts: DiscordPost[];
  /** Slash commands, as they were registered last. */
  commands: unknown;
  /** A slash command was acknowledged: until `forget`, its answer may be given by this token. */
  defer(token: string, channel: string): void;
  forget(token: string): void;
  /** Whether it still shows "thinking ...", or the answer in its place. */
  isDeferred(token: string): boolean;
  fail(...faults: Fault[]): void;
  /** The next `count` posts of a channel, each given once. */
  nextMessages(channel: string, count: number): Promise<DiscordPost[]>;
  close(): Promise<void>;
}

/** Named faults as Discord words them. */
export const discordFault = {
  rateLimited: (seconds: number, scope: 'user' | 'global' | 'shared' = 'user'): Fault =>
    fault(
      429,
      { message: 'You are being rate limited.', retry_after: seconds, global: scope === 'global' },
      { 'x-ratelimit-scope': scope },
    ),
  error: (status: number, code: number, message: string): Fault => fault(status, { code, message }),
  bareServerError: (status = 502): Fault => ({ kind: 'answer', status, body: '<html>Bad Gateway</html>' }),
};

const buttonSchema = z.object({
  type: z.literal(2),
  style: z.number(),
  label: z.string().min(1).max(80),
  custom_id: z.string().min(1).max(100),
});
const messageSchema = z.object({
  content: z.string().max(2000),
  nonce: z.string().max(25).optional(),
  enforce_nonce: z.boolean().optional(),
  allowed_mentions: z.object({ parse: z.array(z.enum(['users', 'roles', 'everyone'])), users: z.array(z.string()).max(100) }),
  message_reference: z.object({ message_id: z.string(), fail_if_not_exists: z.literal(false) }).optional(),
  components: z
    .array(z.object({ type: z.literal(1), components: z.array(buttonSchema).min(1).max(5) }))
    .max(5)
    .default([]),
});
type Message = z.infer<typeof messageSchema>;
type Files = DiscordPost['files'];

interface DiscordServerOptions {
  script?: readonly Fault[];
  /** When given, another token is answered 401. */
  token?: string;
  /** What each request of the typing endpoint meets, which no script counts. */
  typing?: Fault;
}

/** The REST API with Discord's own checks: lengths, rows of buttons, nonces. A path it does not know is 404. */
export async function startDiscordServer(options: DiscordServerOptions = {}): Promise<DiscordServer> {
  const guild = new Guild();
  const calls: DiscordCall[] = [];
  const typing: DiscordServer['typing'] = [];
  const isTyping = ({ path }: ReceivedRequest) => path.endsWith('/typing');
  const server = await startScriptedServer(
    {
      isSpared: isTyping,
      sparedFault: options.typing,
      record: (request) => {
        if (isTyping(request)) {
          typing.push({ at: request.at, channel: request.path.split('/')[2] ?? '' });
          return () => undefined;
        }
        const call: DiscordCall = { ...callOf(request), answered: 'waiting', answeredAt: undefined };
        calls.push(call);
        return (answered) => Object.assign(call, { answered, answeredAt: performance.now() });
      },
      answer: (request) => {
        const { method, path, token } = callOf(request);
        if (path.startsWith('/public/')) return { status: 200, headers: { 'content-type': 'text/plain' }, body: path.slice(8) };
        if (options.token !== undefined && token !== options.token) return refuse(401, 0, '401: Unauthorized');
        if (isTyping(request)) return { status: 204, body: '' };
        return guild.perform(method, path.split('/').slice(1), readBody(request));
      },
    },
    options.script,
  );
  return {
    ...server,
    calls,
    typing,
    posts: guild.posts,
    get commands() {
      return guild.commands;
    },
    defer: (token, channel) => void guild.deferred.set(token, channel),
    forget: (token) => void guild.deferred.delete(token),
    isDeferred: (token) => guild.deferred.has(token),
    nextMessages: (channel, count) => guild.arrivals.next(channel, count),
  };
}

interface Body {
  json: unknown;
  files: Files;
}

/** What was posted, and what every call does to it. */
class Guild {
  readonly posts: DiscordPost[] = [];
  readonly arrivals = new Arrivals<DiscordPost>();
  readonly deferred = new Map<string, string>();
  readonly answered = new Map<string, DiscordPost>();
  readonly nonces = new Map<string, DiscordPost>();
  commands: unknown;

  perform(method: string, path: readonly string[], body: Body): HttpReply {
    const [kind, id = '', what, ...rest] = path;
    if (kind === 'webhooks') return method === 'DELETE' ? this.withdraw(what ?? '') : this.answer(what ?? '', body);
    if (kind === 'applications' && method === 'PUT' && path.at(-1) === 'commands') {
      this.commands = body.json;
      return reply(200, body.json);
    }
    if (kind !== 'channels' || what !== 'messages') return refuse(404, 0, '404: Not Found');
    const [message, reactions, emoji = '', whose] = rest;
    if (message === undefined) return this.withMessage(body, (asked, files) => this.create(id, asked, files));
    return this.at(id, message, (post) => {
      if (reactions !== undefined && whose === '@me') return this.react(method, post, decodeURIComponent(emoji));
      return this.change(method, post, body);
    });
  }

  private create(channel: string, message: Message, files: Files): HttpReply {
    const known = message.enforce_nonce && message.nonce !== undefined ? this.nonces.get(message.nonce) : undefined;
    if (known) return reply(200, { id: known.id });
    const replyTo = message.message_reference?.message_id;
    const post = this.show(channel, message, files, this.posts.some(({ id }) => id === replyTo) ? replyTo : undefined);
    if (message.nonce !== undefined) this.nonces.set(message.nonce, post);
    return reply(200, { id: post.id, channel_id: channel });
  }

  private answer(token: string, body: Body): HttpReply {
    const channel = this.deferred.get(decodeURIComponent(token));
    if (channel === undefined) return refuse(404, 10_015, 'Unknown Webhook');
    return this.withMessage(body, (message, files) => {
      const before = this.answered.get(token);
      if (before) Object.assign(before, contentOf(message), { files, edited: true });
      const post = before ?? this.show(channel, message, files, undefined);
      this.answered.set(token, post);
      return reply(200, { id: post.id });
    });
  }

  private withdraw(token: string): HttpReply {
    return this.deferred.delete(decodeURIComponent(token)) ? { status: 204, body: '' } : refuse(404, 10_015, 'Unknown Webhook');
  }

  private change(method: string, post: DiscordPost, body: Body): HttpReply {
    if (method === 'GET') {
      const reactions = post.reactions.map((name) => ({ me: true, count: 1, emoji: { id: null, name } }));
      return reply(200, { id: post.id, content: post.content, reactions });
    }
    if (method === 'DELETE') {
      this.posts.splice(this.posts.indexOf(post), 1);
      return { status: 204, body: '' };
    }
    return this.withMessage(body, (message) => {
      Object.assign(post, contentOf(message), { edited: true });
      return reply(200, { id: post.id });
    });
  }

  private react(method: string, { reactions }: DiscordPost, emoji: string): HttpReply {
    if (!/^\w+:\d+$|\p{Emoji}/u.test(emoji)) return refuse(400, 10_014, 'Unknown Emoji');
    if (method === 'DELETE') reactions.splice(reactions.indexOf(emoji), 1);
    else if (!reactions.includes(emoji)) reactions.push(emoji);
    return { status: 204, body: '' };
  }

  private withMessage({ json, files }: Body, work: (message: Message, files: Files) => HttpReply): HttpReply {
    const message = messageSchema.safeParse(json).data;
    if (!message) return refuse(400, 50_035, 'Invalid Form Body');
    return message.content.trim() === '' && files.length === 0
      ? refuse(400, 50_006, 'Cannot send an empty message')
      : work(message, files);
  }

  private at(channel: string, id: string, work: (post: DiscordPost) => HttpReply): HttpReply {
    const post = this.posts.find((one) => one.channel === channel && one.id === id);
    return post ? work(post) : refuse(404, 10_008, 'Unknown Message');
  }

  private show(channel: string, message: Message, files: Files, replyTo: string | undefined): DiscordPost {
    const id = `7${String(this.nonces.size + this.posts.length + this.answered.size + 1).padStart(17, '0')}`;
    const post = { id, channel, ...contentOf(message), replyTo, files, reactions: [], edited: false };
    this.posts.push(post);
    this.arrivals.push(channel, post);
    return post;
  }
}

function contentOf({
  content,
  components,
  allowed_mentions: allowed,
}: Message): Pick<DiscordPost, 'content' | 'pinged' | 'buttons'> {
  const named = [...content.matchAll(/<@!?(\d+)>/g)].flatMap(([, id]) => id ?? []);
  const pinged = named.filter((id) => allowed.parse.includes('users') || allowed.users.includes(id));
  if (/@(?:everyone|here)/.test(content) && allowed.parse.includes('everyone')) pinged.push('everyone');
  if (/<@&\d+>/.test(content) && allowed.parse.includes('roles')) pinged.push('roles');
  const buttons = components.flatMap((row) => row.components);
  return {
    content,
    pinged: [...new Set(pinged)],
    buttons: buttons.map(({ label, custom_id: customId }) => ({ label, customId })),
  };
}

function callOf(request: ReceivedRequest): Pick<DiscordCall, 'at' | 'method' | 'path' | 'token' | 'body'> {
  const { at, method, path, headers } = request;
  const { json } = readBody(request);
  const body = z.record(z.string(), z.unknown()).safeParse(json).data ?? {};
  return { at, method, path, token: headers.authorization?.replace(/^Bot /, '') ?? '', body };
}

/** JSON, or a form that holds it beside the files. */
function readBody({ headers, body }: ReceivedRequest): Body {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return { json: body === '' ? undefined : JSON.parse(body), files: [] };
  const parts = body
    .split(`--${boundary}`)
    .map((part) => /name="([^"]+)"(?:; filename="([^"]+)")?[^]*?\r\n\r\n([^]*)\r\n$/.exec(part));
  const json = parts.find((part) => part?.[1] === 'payload_json')?.[3] ?? '';
  const files = parts.flatMap((part) => (part?.[2] === undefined ? [] : [{ name: part[2], text: part[3] ?? '' }]));
  return { json: JSON.parse(json), files };
}

function fault(status: number, body: object, headers: Record<string, string> = {}): Fault {
  return { kind: 'answer', status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function reply(status: number, body: unknown): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function refuse(status: number, code: number, message: string): HttpReply {
  return reply(status, { code, message });
}
