import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import type { FormPart } from './multipart.js';
import { readTelegramHtml } from './telegram-html.js';

/** What the chat shows. */
export interface TelegramPost {
  messageId: number;
  chatId: string;
  threadId: number | undefined;
  replyTo: number | undefined;
  /** Without tags. Of a file the caption. */
  text: string;
  /** Of the inline keyboard, row by row: what is pressed comes back as callback_data. */
  buttons: { text: string; data: string }[];
  file: { kind: string; url: string } | { kind: string; bytes: Buffer; name: string | undefined } | undefined;
  /** Messages of one album share it. */
  album: number | undefined;
  reactions: string[];
  edits: number;
}

/** What somebody sees of a message that is still being written, until the bot sends one. */
export interface TelegramDraft {
  chatId: string;
  id: number;
  text: string;
}

/** As the Bot API words a refusal. */
export class BotError extends Error {
  constructor(
    readonly code: number,
    description: string,
    readonly parameters?: Record<string, unknown>,
  ) {
    super(description);
  }
}
const bad = (what: string): BotError => new BotError(400, `Bad Request: ${what}`);

/** The Bot API takes 1 to 64 bytes. */
const buttonSchema = z.object({
  text: z.string().min(1),
  callback_data: z.string().refine((data) => data !== '' && Buffer.byteLength(data) <= 64),
});
const markup = z.object({ inline_keyboard: z.array(z.array(buttonSchema)) }).optional();
const parseMode = z.enum(['HTML']).optional();
const chat = { chat_id: z.coerce.string() };
const place = {
  ...chat,
  message_thread_id: z.number().optional(),
  reply_parameters: z.object({ message_id: z.number(), allow_sending_without_reply: z.boolean().optional() }).optional(),
};
const captioned = { caption: z.string().optional(), parse_mode: parseMode };
const inputSchema = z.object({
  type: z.enum(['photo', 'video', 'animation', 'audio', 'document']),
  media: z.string(),
  ...captioned,
});
type Input = z.infer<typeof inputSchema>;

const sendSchema = z.object({ ...place, text: z.string(), parse_mode: parseMode, reply_markup: markup });
/** For private chats alone. */
const draftSchema = z.object({
  chat_id: z.number().positive(),
  message_thread_id: z.number().optional(),
  draft_id: z.number().int().positive(),
  text: z.string().optional(),
  parse_mode: parseMode,
});
const mediaSchema = z.object({ ...place, ...captioned, reply_markup: markup });
const albumSchema = z.object({ ...place, media: z.array(inputSchema).min(2).max(10) });
const message = { ...chat, message_id: z.number() };
const editTextSchema = z.object({ ...message, text: z.string(), parse_mode: parseMode, reply_markup: markup });
const editCaptionSchema = z.object({ ...message, ...captioned, reply_markup: markup });
const editMediaSchema = z.object({ ...message, media: inputSchema, reply_markup: markup });
const messageSchema = z.object(message);
const reactSchema = z.object({ ...message, reaction: z.array(z.object({ type: z.literal('emoji'), emoji: z.string() })) });

type Place = z.infer<z.ZodObject<typeof place>>;
type Params = Record<string, unknown>;

const SINGLE: Record<string, string> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendAnimation: 'animation',
  sendAudio: 'audio',
  sendVoice: 'voice',
  sendDocument: 'document',
};
/** Some of the emoji that Telegram takes. */
const REACTIONS = new Set(['👍', '👎', '❤', '🔥', '👀', '🎉']);

/** The chats of a Bot API server: what its methods do to them, and what they refuse, in Telegram's words. */
export class TelegramChats {
  readonly posts: TelegramPost[] = [];
  /** Every state that a draft was shown in, oldest first. */
  readonly drafts: TelegramDraft[] = [];
  readonly arrivals = new Arrivals<TelegramPost>();
  /** `<chat>/<message>` of people's messages that are gone: nothing can answer them. */
  readonly gone = new Set<string>();
  /** `<chat>/<topic>` */
  readonly deletedTopics = new Set<string>();
  /** Groups that are supergroups now, by their old id. */
  readonly moved = new Map<string, string>();
  /** Addresses that Telegram gets nothing from. */
  readonly unfetchable = new Set<string>();
  private sent = 0;

  /** @returns the result of the method @throws BotError */
  call(method: string, params: Params, files: readonly FormPart[]): unknown {
    const single = SINGLE[method];
    if (single !== undefined) return this.sendFile(single, params, files);
    switch (method) {
      case 'sendMessage':
        return this.sendText(read(sendSchema, params));
      case 'sendMessageDraft':
        return this.showDraft(read(draftSchema, params));
      case 'sendMediaGroup':
        return this.sendAlbum(read(albumSchema, params), files);
      case 'editMessageText':
        return this.editText(read(editTextSchema, params));
      case 'editMessageCaption':
        return this.editCaption(read(editCaptionSchema, params));
      case 'editMessageMedia':
        return this.editMedia(read(editMediaSchema, params), files);
      case 'deleteMessage':
        return this.delete(read(messageSchema, params));
      case 'setMessageReaction':
        return this.react(read(reactSchema, params));
      default:
        return true;
    }
  }

  private sendText({ text, parse_mode, reply_markup, ...at }: z.infer<typeof sendSchema>): unknown {
    const shown = shownText(text, parse_mode);
    if (shown.trim() === '') throw bad('message text is empty');
    if (shown.length > 4096) throw bad('message is too long');
    return this.post(at, { text: shown, buttons: buttonsOf(reply_markup) });
  }

  private showDraft({ chat_id, draft_id: id, text = '', parse_mode }: z.infer<typeof draftSchema>): unknown {
    const shown = shownText(text, parse_mode);
    if (shown.length > 4096) throw bad('message is too long');
    this.drafts.push({ chatId: String(chat_id), id, text: shown });
    return true;
  }

  private sendFile(kind: string, params: Params, files: readonly FormPart[]): unknown {
    const { caption, parse_mode, reply_markup, ...at } = read(mediaSchema, params);
    const file = this.fileOf(kind, files.find(({ name }) => name === kind) ?? String(params[kind]));
    return this.post(at, { text: captionText(caption, parse_mode), buttons: buttonsOf(reply_markup), file });
  }

  private sendAlbum({ media, ...at }: z.infer<typeof albumSchema>, files: readonly FormPart[]): unknown {
    const kinds = new Set(media.map(({ type }) => (type === 'photo' || type === 'video' ? 'seen' : type)));
    if (kinds.size > 1 || kinds.has('animation')) throw bad("can't use the media of the specified type in the album");
    const album = this.sent + 1;
    const shown = media.map((input) => ({
      text: captionText(input.caption, input.parse_mode),
      file: this.inputFile(input, files),
    }));
    return shown.map((one) => this.post(at, { ...one, album }));
  }

  private editText({ text, parse_mode, reply_markup, ...at }: z.infer<typeof editTextSchema>): unknown {
    const post = this.find(at, 'message to edit not found');
    if (post.file) throw bad('there is no text in the message to edit');
    const shown = shownText(text, parse_mode);
    if (shown.length > 4096) throw bad('message is too long');
    return this.edit(post, { text: shown, buttons: buttonsOf(reply_markup) });
  }

  private editCaption({ caption, parse_mode, reply_markup, ...at }: z.infer<typeof editCaptionSchema>): unknown {
    const post = this.find(at, 'message to edit not found');
    if (!post.file) throw bad('there is no caption in the message to edit');
    return this.edit(post, { text: captionText(caption, parse_mode), buttons: buttonsOf(reply_markup) });
  }

  private editMedia({ media, reply_markup, ...at }: z.infer<typeof editMediaSchema>, files: readonly FormPart[]): unknown {
    const post = this.find(at, 'message to edit not found');
    const text = captionText(media.caption, media.parse_mode);
    return this.edit(post, { text, buttons: buttonsOf(reply_markup), file: this.inputFile(media, files) });
  }

  private edit(post: TelegramPost, change: Pick<TelegramPost, 'text' | 'buttons'> & Partial<TelegramPost>): unknown {
    const before = JSON.stringify(post);
    if (JSON.stringify({ ...post, ...change }) === before)
      throw bad('message is not modified: specified new message content and reply markup are exactly the same as a current one');
    Object.assign(post, change, { edits: post.edits + 1 });
    return { message_id: post.messageId, chat: { id: post.chatId } };
  }

  private delete(at: z.infer<typeof messageSchema>): unknown {
    this.posts.splice(this.posts.indexOf(this.find(at, 'message to delete not found')), 1);
    return true;
  }

  private react({ reaction, ...at }: z.infer<typeof reactSchema>): unknown {
    if (reaction.some(({ emoji }) => !REACTIONS.has(emoji))) throw bad('REACTION_INVALID');
    this.find(at, 'message to react not found').reactions = reaction.map(({ emoji }) => emoji);
    return true;
  }

  private find({ chat_id, message_id }: z.infer<typeof messageSchema>, otherwise: string): TelegramPost {
    const post = this.posts.find(({ chatId, messageId }) => chatId === chat_id && messageId === message_id);
    if (!post) throw bad(otherwise);
    return post;
  }

  private inputFile({ type, media }: Input, files: readonly FormPart[]): TelegramPost['file'] {
    return this.fileOf(type, files.find(({ name }) => media === `attach://${name}`) ?? media);
  }

  private fileOf(kind: string, source: FormPart | string): TelegramPost['file'] {
    if (typeof source !== 'string') return { kind, bytes: source.bytes, name: source.fileName };
    if (!URL.canParse(source)) throw bad('wrong file identifier/HTTP URL specified');
    if (this.unfetchable.has(source)) throw bad('failed to get HTTP URL content');
    // "In sendDocument, sending by URL will currently only work for GIF, PDF and ZIP files."
    if (kind === 'document' && !/\.(?:gif|pdf|zip)$/.test(source)) throw bad('wrong type of the web page content');
    return { kind, url: source };
  }

  private post(at: Place, shown: Pick<TelegramPost, 'text'> & Partial<TelegramPost>): unknown {
    const to = this.moved.get(at.chat_id);
    if (to !== undefined)
      throw new BotError(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: Number(to) });
    const { chat_id: chatId, message_thread_id: threadId } = at;
    if (threadId === 1 || this.deletedTopics.has(`${chatId}/${threadId}`)) throw bad('message thread not found');
    const post = {
      chatId,
      threadId,
      replyTo: this.replyOf(at),
      ...UNTOUCHED,
      reactions: [],
      ...shown,
      messageId: (this.sent += 1),
    };
    this.posts.push(post);
    this.arrivals.push(chatId, post);
    return { message_id: post.messageId, date: Math.floor(Date.now() / 1000), chat: { id: chatId }, text: post.text };
  }

  /** `allow_sending_without_reply` is "always False for replies in another chat or forum topic". */
  private replyOf({ chat_id, message_thread_id, reply_parameters: reply }: Place): number | undefined {
    if (!reply || !this.gone.has(`${chat_id}/${reply.message_id}`)) return reply?.message_id;
    if (!reply.allow_sending_without_reply || message_thread_id !== undefined) throw bad('message to be replied not found');
    return undefined;
  }
}

const UNTOUCHED = { buttons: [], file: undefined, album: undefined, edits: 0 };

/** @throws BotError */
function read<T>(schema: z.ZodType<T>, params: Params): T {
  const { data } = schema.safeParse(params);
  if (data === undefined) throw bad('malformed parameters');
  return data;
}

function shownText(text: string, mode: 'HTML' | undefined): string {
  if (mode !== 'HTML') return text;
  try {
    return readTelegramHtml(text).text;
  } catch (problem) {
    throw bad(`can't parse entities: ${String(problem)}`);
  }
}

function captionText(caption: string | undefined, mode: 'HTML' | undefined): string {
  const shown = shownText(caption ?? '', mode);
  if (shown.length > 1024) throw bad('message caption is too long');
  return shown;
}

function buttonsOf(given: z.infer<typeof markup>): TelegramPost['buttons'] {
  return (given?.inline_keyboard ?? []).flat().map(({ text, callback_data: data }) => ({ text, data }));
}
