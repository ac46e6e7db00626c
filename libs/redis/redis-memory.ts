import { mastersOf, type RedisClient } from './connection.js';

const POLL_MS = 1000;

/**
 * Watches how full Redis is, so that ingress can refuse new work while workers still have room to finish theirs
 * (protocol 2, accept). Without `maxmemory` it is never nearly full.
 */
export class RedisMemory {
  private timer: NodeJS.Timeout | undefined;
  private ratio = 0;
  private evicts = false;

  constructor(
    private readonly redis: RedisClient,
    private readonly shedAt: number,
  ) {}

  get nearlyFull(): boolean {
    return this.ratio >= this.shedAt;
  }

  /** Of `maxmemory`, of the fullest server; 0 where there is none. */
  get usedShare(): number {
    return this.ratio;
  }

  /** Whether a server would throw keys away to make room: accepted messages among them. */
  get mayEvict(): boolean {
    return this.evicts;
  }

  start(): void {
    this.timer = setInterval(() => void this.poll(), POLL_MS);
    this.timer.unref();
    void this.poll();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async poll(): Promise<void> {
    try {
      // Keys are spread evenly: the fullest server is the first to refuse.
      const infos = await Promise.all(mastersOf(this.redis).map((server) => server.info('memory')));
      this.ratio = Math.max(...infos.map(usedShare));
      this.evicts = infos.some((info) => (/^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction') !== 'noeviction');
    } catch {
      // Redis is away: accept itself answers 503, and the last known ratio stays.
    }
  }
}

function usedShare(info: string): number {
  const value = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const limit = value('maxmemory');
  return limit > 0 ? value('used_memory') / limit : 0;
}
