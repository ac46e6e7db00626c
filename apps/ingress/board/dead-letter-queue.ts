import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { deadLetterSchema } from '#contracts';
import type { TenantId } from '#kernel';
import type { Queue, ReplayAnswer } from '#lanes';

type Job = NonNullable<Awaited<ReturnType<BullMQAdapter['getJob']>>>;
type Counts = Awaited<ReturnType<BullMQAdapter['getJobCounts']>>;
type Replay = (tenant: TenantId, id: string) => Promise<ReplayAnswer>;

/**
 * Dead letters as the board shows what failed: nobody works on their queue, so to BullMQ they wait. Its "retry" is the replay of
 * `turnpike dead` (docs/delivery.md): once, in the order of the conversation.
 */
export class DeadLetterQueue extends BullMQAdapter {
  constructor(
    private readonly letters: Queue,
    private readonly replay: Replay,
    options: { description: string; prefix?: string; readOnlyMode: boolean },
  ) {
    super(letters, { ...options });
  }

  override async getJobCounts(): Promise<Counts> {
    const { waiting = 0, ...others } = await super.getJobCounts();
    return { ...others, waiting: 0, failed: waiting };
  }

  override async getJobs(...[statuses, start, end]: Parameters<BullMQAdapter['getJobs']>): ReturnType<BullMQAdapter['getJobs']> {
    if (!statuses.includes('failed')) return [];
    return (await super.getJobs(['waiting'], start, end)).map((job) => this.failed(job));
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    return job && this.failed(job);
  }

  private failed(job: Job): Job {
    const { reason, at } = deadLetterSchema.parse(job.data);
    const shown = { failedReason: reason, finishedOn: at };
    return Object.assign(Object.create(job) as Job, {
      getState: async () => 'failed',
      retry: () => this.again(job),
      toJSON: () => ({ ...job.toJSON(), ...shown }),
    });
  }

  /** @throws Error says why it is not on its way */
  private async again(job: Job): Promise<void> {
    const { row } = deadLetterSchema.parse(job.data);
    const { kind } = await this.replay(row.tenant as TenantId, row.id);
    if (kind === 'busy') throw new Error('This message is being tried once more just now: look at it again in a minute.');
  }
}
