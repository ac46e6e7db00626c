import { randomUUID } from 'node:crypto';
import type { MessageId, SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

/** A process that dies leaves its leases for this long. */
const LEASE_MS = 5000;
const RENEW_MS = 2000;

const leaseScript = loadScript(import.meta.dirname, 'answer-lease');

/** Which connection waits for the answer to a message, over all replicas: the lease ends with the connection, or with its process. */
export class AnswerLease {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /**
   * @param resumes the client says that its earlier connection is gone, so the lease passes to this one
   * @param connection fires when the connection ends
   * @returns 0: held until then; else ms that another connection holds it for, at least. Rejects like the Redis connection does.
   */
  async take(session: SessionKey, id: MessageId, resumes: boolean, connection: AbortSignal): Promise<number> {
    const key = this.keyspace.answerLease(session, id);
    const own = randomUUID();
    const busyMs = await this.run(key, own, LEASE_MS, resumes);
    if (busyMs > 0) return busyMs;
    // A renewal that fails is made good by the next, or the lease ends early.
    const again = (ms: number) => void this.run(key, own, ms, false).catch(() => undefined);
    const timer = setInterval(() => again(LEASE_MS), RENEW_MS);
    const release = () => {
      clearInterval(timer);
      again(0);
    };
    if (connection.aborted) release();
    else connection.addEventListener('abort', release, { once: true });
    return 0;
  }

  private async run(key: string, own: string, ms: number, resumes: boolean): Promise<number> {
    return (await leaseScript.run(this.redis, [key], [own, ms, resumes ? 1 : 0])) as number;
  }
}
