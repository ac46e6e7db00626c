import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';
import { messageSchema, streamSchema, placedSchema, reactionSchema } from './slack-arguments.js';
import { readMrkdwn } from './slack-mrkdwn.js';

/** One request as it arrived, whatever became of it. */
export interface SlackCall {
  /** performance.now() */
  at: number;
  method: string;
  token: string;
  args: Record<string, unknown>;
  answered: Answered;
  /** performance.now(); undefined while the request waits. */
  answeredAt: number | undefined;
}

/** What a channel shows. */
export interface SlackPost {
  ts: string;
  channel: string;
  threadTs: string | undefined;
  /** Without notation. */
  text: string;
  buttons: { text: string; value: string; actionId: string }[];
  files: { id: string; name: string; bytes: Buffer }[];
  reactions: string[];
  edited: boolean;
  /** A stream that was not stopped yet. */
  isStreamed: boolean;
}

export interface SlackServer {
  url: string;
  calls: SlackCall[];
  posts: SlackPost[];
  /** Files that people sent, by id: files.info tells of them, `/files/<id>` gives them to the bot, `/public/<id>` to everybody. */
  uploads: Map<string, { name: string; mimetype: string; bytes: string }>;
  fail(...faults: Fault[]): void;
  /** The next `count` posts of a channel, each given once. */
  nextMessages(channel: string, count: number): Promise<SlackPost[]>;
  close(): Promise<void>;
}

/** Named faults as Slack words them. */
export const slackFault = {
  rateLimited: (seconds: number): Fault => ({
    kind: 'answer',
    status: 429,
    headers: { 'retry-after': String(seconds), 'content-type': 'application/json' },
    body: JSON.stringify({ ok: false, error: 'ratelimited' }),
  }),
  error: (error: string): Fault => ({ kind: 'answer', status: 200, body: JSON.stringify({ ok: false, error }) }),
  /** From a gateway in front of the Web API. */
  bareServerError: (status = 502): Fault => ({ kind: 'answer', status, body: '<html>Bad Gateway</html>' }),
};

interface SlackServerOptions {
  script?: readonly Fault[];
  /** When given, another token is answered `invalid_auth`. */
  token?: string;
}

/** The Web API of one workspace with Slack's own checks: lengths, blocks, tokens. A method it does not know is `unknown_method`. */
export async function startSlackServer(options: SlackServerOptions = {}): Promise<SlackServer> {
  const workspace = new Workspace();
  const calls: SlackCall[] = [];
  const server = await startScriptedServer(
    {
      record: (request) => {
        const call: SlackCall = { ...callOf(request), answered: 'waiting', answeredAt: undefined };
        calls.push(call);
        return (answered) => Object.assign(call, { answered, answeredAt: performance.now() });
      },
      answer: (request) => {
        const { method, token, args } = callOf(request);
        if (method.startsWith('upload/')) return workspace.put(method.slice(7), request.body);
        if (method.startsWith('public/')) return workspace.give(method.slice(7));
        if (options.token !== undefined && token !== options.token) return refuse('invalid_auth');
        if (method.startsWith('files/')) return workspace.give(method.slice(6));
        return workspace.perform(method, args, `http://${request.headers.host}`);
      },
    },
    options.script,
  );
  const { posts, uploads, arrivals } = workspace;
  return { ...server, calls, posts, uploads, nextMessages: (channel, count) => arrivals.next(channel, count) };
}

type Args = Record<string, unknown>;

/** What was posted, and what every call does to it. */
class Workspace {
  readonly posts: SlackPost[] = [];
  readonly uploads: SlackServer['uploads'] = new Map();
  readonly arrivals = new Arrivals<SlackPost>();
  private readonly reserved = new Map<string, { name: string; bytes: Buffer }>();
  private made = 0;

  perform(method: string, args: Args, origin: string): HttpReply {
    switch (method) {
      case 'chat.postMessage':
        return this.withMessage(args, (message) => {
          const post = this.show({ ...contentOf(message), channel: message.channel, threadTs: message.thread_ts });
          return accept({ channel: post.channel, ts: post.ts });
        });
      case 'chat.startStream':
      case 'chat.appendStream':
      case 'chat.stopStream':
        return this.stream(method, args);
      case 'chat.update':
        return this.update(args);
      case 'chat.delete':
        return this.at(placedSchema.parse(args), (post) => {
          if (post.isStreamed) return refuse('streaming_state_conflict');
          this.posts.splice(this.posts.indexOf(post), 1);
          return accept({});
        });
      case 'reactions.add':
      case 'reactions.remove':
      case 'reactions.get':
        return this.react(method, args);
      default:
        return this.performFile(method, args, origin);
    }
  }

  put(id: string, body: string): HttpReply {
    const file = this.reserved.get(id);
    if (!file) return { status: 404, body: 'no such upload' };
    file.bytes = Buffer.from(body);
    return { status: 200, body: `OK - ${body.length}` };
  }

  give(id: string): HttpReply {
    const file = this.uploads.get(id);
    return file ? { status: 200, headers: { 'content-type': file.mimetype }, body: file.bytes } : { status: 404, body: '' };
  }

  private performFile(method: string, args: Args, origin: string): HttpReply {
    if (method === 'files.getUploadURLExternal') {
      const { filename } = z.object({ filename: z.string(), length: z.string().regex(/^\d+$/) }).parse(args);
      const id = `F${++this.made}UP`;
      this.reserved.set(id, { name: filename, bytes: Buffer.alloc(0) });
      return accept({ upload_url: `${origin}/upload/${id}`, file_id: id });
    }
    if (method === 'files.completeUploadExternal') return this.share(args);
    if (method === 'files.info') {
      const id = String(args['file']);
      const file = this.uploads.get(id);
      if (!file) return refuse('file_not_found');
      const { name, mimetype } = file;
      return accept({ file: { id, name, mimetype, url_private_download: `${origin}/files/${id}` } });
    }
    if (method === 'files.delete') {
      const found = this.posts.findIndex(({ files }) => files.some(({ id }) => id === args['file']));
      if (found < 0) return refuse('file_not_found');
      this.posts.splice(found, 1);
      return accept({});
    }
    return refuse('unknown_method');
  }

  private share(args: Args): HttpReply {
    const { files, channel_id, thread_ts, initial_comment } = z
      .object({
        files: z.array(z.object({ id: z.string() })),
        channel_id: z.string(),
        thread_ts: z.string().optional(),
        initial_comment: z.string().optional(),
      })
      .parse(args);
    const shared = files.map(({ id }) => ({ id, name: '', bytes: Buffer.alloc(0), ...this.reserved.get(id) }));
    this.show({
      text: readMrkdwn(initial_comment ?? '').text,
      buttons: [],
      files: shared,
      channel: channel_id,
      threadTs: thread_ts,
    });
    return accept({ files: shared.map(({ id, name }) => ({ id, title: name })) });
  }

  /** In a direct message always below somebody's; in a channel for one recipient. */
  private stream(method: string, args: Args): HttpReply {
    const { channel, ts = '', thread_ts, markdown_text = '', ...recipient } = streamSchema.parse(args);
    const text = readEntities(markdown_text);
    if (method === 'chat.startStream') {
      if (channel.startsWith('D') && thread_ts === undefined) return refuse('invalid_thread_ts');
      if (!channel.startsWith('D') && (!recipient.recipient_user_id || !recipient.recipient_team_id))
        return refuse('missing_recipient_user_id');
      const post = this.show({ text, buttons: [], channel, threadTs: thread_ts });
      post.isStreamed = true;
      return accept({ channel, ts: post.ts });
    }
    return this.at({ channel, ts }, (post) => {
      if (!post.isStreamed) return refuse('message_not_in_streaming_state');
      if (method === 'chat.stopStream') post.isStreamed = false;
      post.text += text;
      return accept({ channel, ts });
    });
  }

  private update(args: Args): HttpReply {
    if (Buffer.byteLength(String(args['text'])) > 4000) return refuse('msg_too_long');
    return this.withMessage(args, (message) =>
      this.at(placedSchema.parse(args), (post) => {
        if (post.isStreamed) return refuse('streaming_state_conflict');
        Object.assign(post, contentOf(message), { edited: true });
        return accept({ channel: post.channel, ts: post.ts });
      }),
    );
  }

  private react(method: string, args: Args): HttpReply {
    if (method === 'reactions.get') {
      const { channel, timestamp } = reactionSchema.omit({ name: true }).parse(args);
      return this.at({ channel, ts: timestamp }, ({ reactions }) =>
        accept({ type: 'message', message: { ts: timestamp, reactions: reactions.map((name) => ({ name, users: ['U0BOT'] })) } }),
      );
    }
    const { channel, timestamp, name } = reactionSchema.parse(args);
    return this.at({ channel, ts: timestamp }, ({ reactions }) => {
      const has = reactions.includes(name);
      if (method === 'reactions.add') return has ? refuse('already_reacted') : accept({ count: reactions.push(name) });
      return has ? accept({ removed: reactions.splice(reactions.indexOf(name), 1) }) : refuse('no_reaction');
    });
  }

  private withMessage(args: Args, work: (message: z.infer<typeof messageSchema>) => HttpReply): HttpReply {
    const message = messageSchema.safeParse(args).data;
    if (!message) return refuse('invalid_blocks');
    if (message.text.trim() === '' && message.blocks.length === 0) return refuse('no_text');
    return message.text.length > 40_000 ? refuse('msg_too_long') : work(message);
  }

  private at({ channel, ts }: { channel: string; ts: string }, work: (post: SlackPost) => HttpReply): HttpReply {
    const post = this.posts.find((one) => one.channel === channel && one.ts === ts);
    return post ? work(post) : refuse('message_not_found');
  }

  private show(
    content: Pick<SlackPost, 'channel' | 'threadTs' | 'text' | 'buttons'> & { files?: SlackPost['files'] },
  ): SlackPost {
    const ts = `1764547200.${String(++this.made).padStart(6, '0')}`;
    const post = { files: [], ...content, ts, reactions: [], edited: false, isStreamed: false };
    this.posts.push(post);
    this.arrivals.push(post.channel, post);
    return post;
  }
}

/** Beside blocks the text is not shown. */
function contentOf({ text: bare, blocks }: z.infer<typeof messageSchema>): Pick<SlackPost, 'text' | 'buttons'> {
  const sections = blocks.flatMap((block) => (block.type === 'section' ? [block.text.text] : []));
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  return {
    text: readMrkdwn(blocks.length === 0 ? bare : sections.join('\n')).text,
    buttons: buttons.map(({ text: label, value, action_id: actionId }) => ({ text: label.text, value, actionId })),
  };
}

/** What a Markdown text without notation shows. */
function readEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function callOf({ at, path, headers, body }: ReceivedRequest): Pick<SlackCall, 'at' | 'method' | 'token' | 'args'> {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const isJson = headers['content-type']?.startsWith('application/json');
  return {
    at,
    method: path.slice(1),
    token: headers.authorization?.replace(/^Bearer /, '') ?? '',
    args: isForm ? Object.fromEntries(new URLSearchParams(body)) : isJson ? (JSON.parse(body) as Args) : {},
  };
}

function accept(more: Record<string, unknown>): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ok: true, ...more }) };
}

function refuse(error: string): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ok: false, error }) };
}
