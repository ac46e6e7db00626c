import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import { showContent, type ShownContent } from './feishu-content.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';

/** One request, other than for a token, as it arrived, whatever became of it. */
export interface FeishuCall {
  /** performance.now() */
  at: number;
  method: string;
  path: string;
  body: Record<string, unknown>;
  answered: Answered;
}

/** What the chat shows. */
export interface FeishuPost extends ShownContent {
  id: string;
  chat: string;
  /** post, interactive, image ... */
  type: string;
  /** The message it answers, and whether in its topic. */
  repliesTo: string | undefined;
  inThread: boolean;
  deleted: boolean;
  reactions: string[];
}

export interface FeishuServer {
  url: string;
  calls: FeishuCall[];
  posts: FeishuPost[];
  /** How often a token was asked for. */
  tokens: () => number;
  /** From now on, tokens given before are not taken. */
  revokeTokens(): void;
  /** Topic -> its first message. */
  topics: Map<string, string>;
  /** `<message>/<key>` -> file. */
  files: Map<string, { mime: string; bytes: string }>;
  fail(...faults: Fault[]): void;
  /** The next `count` posts of a chat, each given once. */
  nextMessages(chat: string, count: number): Promise<FeishuPost[]>;
  close(): Promise<void>;
}

interface FeishuServerOptions {
  appId: string;
  appSecret: string;
}

const messageSchema = z.object({
  receive_id: z.string().optional(),
  msg_type: z.enum(['text', 'post', 'interactive', 'image', 'file', 'audio', 'media']),
  content: z.string(),
  uuid: z.string().max(50),
  reply_in_thread: z.boolean().optional(),
});

/** Named faults as the API words them. */
export const feishuFault = {
  appLimit: (seconds: number, status: 400 | 429 = 429): Fault =>
    refused(status, 99991400, 'request trigger frequency limit', {
      'x-ogw-ratelimit-reset': String(seconds),
      'x-ogw-ratelimit-limit': '100',
    }),
  chatLimit: (): Fault => refused(400, 230020, 'This operation triggers the frequency limit.'),
  notInGroup: (): Fault => refused(400, 230002, 'The bot can not be outside the group.'),
  badContent: (): Fault => refused(400, 230001, 'Your request contains an invalid request parameter, ext=invalid href.'),
  tooLong: (): Fault => refused(400, 230025, 'The length of the message content reaches its limit.'),
  serverError: (): Fault => refused(500, 2200, 'Internal Error'),
  bare: (status: number): Fault => ({ kind: 'answer', status, body: '<html></html>' }),
};

/** The Open API of one app: messages, replies, edits, reactions, topics, files, with Feishu's own checks. */
export async function startFeishuServer({ appId, appSecret }: FeishuServerOptions): Promise<FeishuServer> {
  const world = new FeishuWorld(appId);
  const isToken = ({ path }: ReceivedRequest): boolean => path === '/open-apis/auth/v3/tenant_access_token/internal';
  const server = await startScriptedServer({
    isSpared: isToken,
    record(request) {
      if (isToken(request)) return () => undefined;
      const call: FeishuCall = {
        at: request.at,
        method: request.method,
        path: request.path,
        body: bodyOf(request),
        answered: 'waiting',
      };
      world.calls.push(call);
      return (answered) => Object.assign(call, { answered });
    },
    answer(request) {
      if (isToken(request)) {
        const { app_id: id, app_secret: secret } = bodyOf(request);
        return id === appId && secret === appSecret ? world.giveToken() : reply(refused(200, 10014, 'app secret invalid'));
      }
      return world.takes(request.headers.authorization)
        ? world.answer(request)
        : reply(refused(400, 99991663, 'Invalid access token'));
    },
  });
  const { calls, posts, topics, files, arrivals } = world;
  return {
    ...server,
    calls,
    posts,
    topics,
    files,
    tokens: () => world.tokens,
    revokeTokens: () => world.revoke(),
    nextMessages: (chat, count) => arrivals.next(chat, count),
  };
}

class FeishuWorld {
  readonly calls: FeishuCall[] = [];
  readonly posts: FeishuPost[] = [];
  readonly topics = new Map<string, string>();
  readonly files: FeishuServer['files'] = new Map();
  readonly arrivals = new Arrivals<FeishuPost>();
  tokens = 0;
  private oldest = 1;
  private uploads = 0;
  private readonly byUuid = new Map<string, FeishuPost>();

  constructor(private readonly appId: string) {}

  giveToken(): HttpReply {
    this.tokens += 1;
    return json(200, { code: 0, msg: 'ok', tenant_access_token: `t-${this.tokens}`, expire: 7200 });
  }

  revoke(): void {
    this.oldest = this.tokens + 1;
  }

  takes(authorization = ''): boolean {
    const [, number = '0'] = /^Bearer t-(\d+)$/.exec(authorization) ?? [];
    return Number(number) >= this.oldest && Number(number) <= this.tokens;
  }

  answer(request: ReceivedRequest): HttpReply {
    const { method } = request;
    const { pathname, searchParams } = new URL(request.path, 'http://feishu');
    const [, , , , first, id = '', sub, rest] = pathname.split('/');
    if (first === 'images' || first === 'files') return this.upload(first, request);
    if (method === 'GET' && sub === 'resources') return this.file(`${id}/${rest}`);
    if (method === 'GET' && id === '') return this.topic(searchParams.get('container_id') ?? '');
    if (method === 'POST' && id === '') return this.send(bodyOf(request), searchParams.get('receive_id_type') ?? '', undefined);
    const known = this.posts.find((post) => post.id === id);
    if (method === 'POST' && sub === 'reply') return this.send(bodyOf(request), 'reply', id);
    if (sub === 'reactions') return this.react(method, known, id, bodyOf(request), rest);
    if (!known) return reply(refused(400, 230001, 'invalid message_id'));
    if (known.deleted) return reply(refused(400, 230011, 'The message is recalled.'));
    return method === 'DELETE' ? this.remove(known) : this.edit(method, known, bodyOf(request));
  }

  private send(body: Record<string, unknown>, idType: string, repliesTo: string | undefined): HttpReply {
    const read = messageSchema.safeParse(body);
    if (!read.success)
      return reply(refused(400, 230001, `Your request contains an invalid request parameter. ${read.error.message}`));
    const { uuid, msg_type: type, receive_id: receiver, reply_in_thread: inThread = false } = read.data;
    const before = this.byUuid.get(uuid);
    if (before) return json(200, { code: 0, msg: 'success', data: { message_id: before.id } });
    const answered = repliesTo === undefined ? undefined : this.posts.find((post) => post.id === repliesTo);
    if (answered?.deleted) return reply(refused(400, 230011, 'The message is recalled.'));
    if (repliesTo === undefined && idType !== (receiver?.startsWith('ou_') ? 'open_id' : 'chat_id'))
      return reply(refused(400, 230034, 'The receive_id is invalid.'));
    const shown = showContent(type, read.data.content);
    if ('problem' in shown) return reply(refused(400, shown.code, shown.problem));
    const chat = receiver ?? answered?.chat ?? '';
    const post = {
      id: `om_out${this.posts.length + 1}`,
      chat,
      type,
      repliesTo,
      inThread,
      deleted: false,
      reactions: [],
      ...shown,
    };
    this.posts.push(post);
    this.byUuid.set(uuid, post);
    this.arrivals.push(chat, post);
    return json(200, { code: 0, msg: 'success', data: { message_id: post.id } });
  }

  /** PUT for texts, PATCH for cards. */
  private edit(method: string, post: FeishuPost, body: Record<string, unknown>): HttpReply {
    const isCard = post.type === 'interactive';
    if (isCard !== (method === 'PATCH'))
      return reply(refused(400, 230001, 'Your request contains an invalid request parameter.'));
    const shown = showContent(isCard ? 'interactive' : String(body['msg_type']), String(body['content']));
    if ('problem' in shown) return reply(refused(400, shown.code, shown.problem));
    Object.assign(post, shown);
    return json(200, { code: 0, msg: 'success', data: { message_id: post.id } });
  }

  private remove(post: FeishuPost): HttpReply {
    post.deleted = true;
    return json(200, { code: 0, msg: 'success', data: {} });
  }

  private react(
    method: string,
    post: FeishuPost | undefined,
    id: string,
    body: Record<string, unknown>,
    reaction?: string,
  ): HttpReply {
    const reactions = post?.reactions ?? [];
    if (method === 'GET') {
      const items = reactions.map((name) => ({ reaction_id: name, operator: { operator_id: this.appId, operator_type: 'app' } }));
      const others = [{ reaction_id: 'other', operator: { operator_id: 'ou_x', operator_type: 'user' } }];
      return json(200, { code: 0, msg: 'success', data: { items: [...others, ...items] } });
    }
    if (method === 'DELETE') reactions.splice(reactions.indexOf(reaction ?? ''), 1);
    else reactions.push(z.object({ reaction_type: z.object({ emoji_type: z.string() }) }).parse(body).reaction_type.emoji_type);
    return json(200, { code: 0, msg: 'success', data: { reaction_id: `${id}-1` } });
  }

  private topic(id: string): HttpReply {
    const root = this.topics.get(id);
    const items = root === undefined ? [] : [{ message_id: root, thread_id: id }];
    return json(200, { code: 0, msg: 'success', data: { items, has_more: false } });
  }

  private upload(kind: 'images' | 'files', { headers, body }: ReceivedRequest): HttpReply {
    if (!headers['content-type']?.startsWith('multipart/form-data')) return reply(refused(400, 234001, 'Invalid request param.'));
    const [, field = ''] = /name="(image|file)"; filename="([^"]*)"/.exec(body) ?? [];
    if (field !== kind.slice(0, -1)) return reply(refused(400, 234001, 'Invalid request param.'));
    const key = kind === 'images' ? { image_key: `img_${++this.uploads}` } : { file_key: `file_${++this.uploads}` };
    return json(200, { code: 0, msg: 'success', data: key });
  }

  private file(ref: string): HttpReply {
    const file = this.files.get(ref);
    if (!file) return reply(refused(400, 234003, 'File not in msg.'));
    return { status: 200, headers: { 'content-type': file.mime }, body: file.bytes };
  }
}

function bodyOf({ body }: ReceivedRequest): Record<string, unknown> {
  return parsed(body);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    return {};
  }
}

function refused(status: number, code: number, msg: string, headers: Record<string, string> = {}): Fault {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code, msg }),
  };
}

function reply(fault: Fault): HttpReply {
  if (fault.kind !== 'answer') throw new Error('only answers are replies');
  return { body: '', ...fault };
}

function json(status: number, body: unknown): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
