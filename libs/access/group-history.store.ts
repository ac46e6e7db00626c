import type { MessageHistory } from '#contracts';
import type { MessageId, SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

const rememberScript = loadScript(import.meta.dirname, 'remember', 'ring');

/** Nobody answers to what was said the day before. */
const TTL_MS = 86_400_000;
/** UTF-16 units of one message: as much as is shown of it. */
const MOST_TEXT = 1000;
const MOST_NAME = 100;
/** Ids that are recognised when a platform sends them again; it does so within minutes. */
const IDS_KNOWN = 500;

/**
 * What was said in a group and not to the agent. The next message that is takes it along: the guard of accept moves it into that
 * message, so none of it is lost or shown twice (libs/lanes). Rejects like the connection does.
 */
export class GroupHistory {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /** @param most messages kept, the newest. The same id again changes nothing. */
  async remember(session: SessionKey, id: MessageId, { from, text }: MessageHistory, most: number): Promise<void> {
    const said: MessageHistory = { from: from.slice(0, MOST_NAME), text: text.slice(0, MOST_TEXT) };
    const keys = [this.keyspace.groupHistory(session), this.keyspace.groupHistoryIds(session)];
    await rememberScript.run(this.redis, keys, [id, JSON.stringify(said), most, TTL_MS, IDS_KNOWN]);
  }
}
