import type { TelegramChat } from './update.schema.js';

/** A process meets no more groups than this between two of their messages. */
const MOST = 10_000;

/**
 * The forums that were heard of. Updates of a forum's General topic name no topic, and sends must name none; but typing
 * shows there only with its number, and no target says that its group is a forum.
 */
export class ForumChats {
  private readonly ids = new Set<string>();

  note({ id, is_forum }: TelegramChat): void {
    if (!is_forum) return;
    this.ids.delete(String(id));
    this.ids.add(String(id));
    const [oldest] = this.ids;
    if (this.ids.size > MOST && oldest !== undefined) this.ids.delete(oldest);
  }

  has(conversation: string): boolean {
    return this.ids.has(conversation);
  }
}
