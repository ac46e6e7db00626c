import type { ApiMethods } from '@grammyjs/types';
import { z } from 'zod';
import type { Clock } from '#kernel';
import type { Downloaded, SendOutcome } from '../channel-port.js';
import { answerJson, post, retryAfterMs, type HttpAnswer } from '../delivery-outcome.js';

type Method =
  | 'sendMessage'
  | 'sendMessageDraft'
  | 'sendPhoto'
  | 'sendVideo'
  | 'sendAnimation'
  | 'sendAudio'
  | 'sendVoice'
  | 'sendDocument'
  | 'sendMediaGroup'
  | 'editMessageText'
  | 'editMessageCaption'
  | 'editMessageMedia'
  | 'deleteMessage'
  | 'setMessageReaction'
  | 'sendChatAction'
  | 'getFile';

type Documented<M extends Method> = Parameters<ApiMethods<never>[M]>[0];
/** What may share an album, and which emoji there are, is for Telegram to judge: both lists grow. */
interface Judged {
  sendMediaGroup: Omit<Documented<'sendMediaGroup'>, 'media'> & { media: readonly { type: string; media: string }[] };
  setMessageReaction: Omit<Documented<'setMessageReaction'>, 'reaction'> & {
    reaction: readonly { type: 'emoji'; emoji: string }[];
  };
}
export type Params<M extends Method> = M extends keyof Judged ? Judged[M] : Documented<M>;
/** One call of a Bot API method. */
export type Ask = { [M in Method]: { method: M; params: Params<M> } }[Method];
/** What is uploaded in place of an address, by that address. */
export type Uploads = ReadonlyMap<string, Downloaded>;

export interface CallLimits {
  timeoutMs: number;
  signal: AbortSignal;
}

export type Called =
  | { kind: 'ok'; result: unknown }
  /** `movedTo`: the group is a supergroup now, under this id. */
  | (Extract<SendOutcome, { kind: 'refused' }> & { movedTo?: string })
  | Extract<SendOutcome, { kind: 'retry' | 'unknown' }>;

const answerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().default(''),
    parameters: z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() }).optional(),
  }),
]);
type Failure = Extract<z.infer<typeof answerSchema>, { ok: false }>;

interface TelegramApiOptions {
  apiRoot: string;
  botToken: string;
  clock: Clock;
}

/** The Bot API for one bot. The token is in each URL, so no URL ever reaches a reason. */
export class TelegramApi {
  private readonly root: string;

  constructor(private readonly options: TelegramApiOptions) {
    this.root = options.apiRoot.replace(/\/+$/, '');
  }

  /** One request, and what became of it. */
  async call(ask: Ask, { timeoutMs, signal }: CallLimits, uploads: Uploads = new Map()): Promise<Called> {
    const url = new URL(`${this.root}/bot${this.options.botToken}/${ask.method}`);
    const answer = await post({ url, ...bodyOf(ask, uploads) }, { timeoutMs }, signal);
    return answer.kind === 'answer' ? this.read(answer) : answer;
  }

  /** Where the bytes of a file are, after getFile. */
  fileUrl(path: string): string {
    return `${this.root}/file/bot${this.options.botToken}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** A Bot API error says that nothing was done; a bare gateway error says nothing at all. */
  private read(answer: HttpAnswer): Called {
    const said = answerJson(answer, answerSchema);
    if (said?.ok) return { kind: 'ok', result: said.result };
    const status = said?.error_code ?? answer.status;
    const reason = `${status} ${said?.description ?? 'without a Bot API answer'}`.replaceAll(this.options.botToken, '<token>');
    if (status === 429) return { kind: 'retry', reason, ...this.floor(said, answer) };
    if (status === 503 || (said && status >= 500)) return { kind: 'retry', reason };
    if (status === 401) return { kind: 'refused', reason: 'unauthorized: the bot token is not valid' };
    if (status < 300 || status >= 500) return { kind: 'unknown', reason };
    const moved = said?.parameters?.migrate_to_chat_id;
    return { kind: 'refused', reason, ...(moved !== undefined && { movedTo: String(moved) }) };
  }

  private floor(said: Failure | undefined, answer: HttpAnswer): { retryAfterMs?: number } {
    const seconds = said?.parameters?.retry_after;
    const ms = seconds === undefined ? retryAfterMs(answer.headers, this.options.clock.now()) : seconds * 1000;
    return ms === undefined ? {} : { retryAfterMs: ms };
  }
}

/** Parameters that hold a file by itself. */
const FILE_PARAMETERS = new Set(['photo', 'video', 'animation', 'audio', 'voice', 'document']);

/** JSON, or a form where there is something to upload. */
function bodyOf({ params }: Ask, uploads: Uploads): { headers: Record<string, string>; body: string | FormData } {
  if (uploads.size === 0) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(params) };
  const form = new FormData();
  const parts = new Map<string, string>();
  const attach = (url: string): string => {
    const part = parts.get(url) ?? `file${parts.size}`;
    parts.set(url, part);
    return `attach://${part}`;
  };
  for (const [name, value] of Object.entries(params)) {
    const upload = FILE_PARAMETERS.has(name) ? uploads.get(String(value)) : undefined;
    if (upload) form.append(name, blobOf(upload), upload.name ?? name);
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value, attaching(uploads, attach)));
  }
  for (const [url, part] of parts) {
    const upload = uploads.get(url);
    if (upload) form.append(part, blobOf(upload), upload.name ?? part);
  }
  return { headers: {}, body: form };
}

/** The `media` of an InputMedia names the part of the form that holds it. */
function attaching(uploads: Uploads, attach: (url: string) => string) {
  return (key: string, value: unknown): unknown =>
    key === 'media' && typeof value === 'string' && uploads.has(value) ? attach(value) : value;
}

function blobOf({ bytes, mime }: Downloaded): Blob {
  return new Blob([new Uint8Array(bytes)], mime === undefined ? {} : { type: mime });
}
