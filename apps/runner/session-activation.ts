import { Inject, Injectable } from '@nestjs/common';
import { agentConfig, tenantConfig, ConfigSource, goneAgent } from '#config';
import { checkpoint, LeaseLostError, type SessionKey } from '#kernel';
import { LOGGER, Platform } from '#host';
import { attemptOf, CrashCompany, type Claim, type ClaimEnd, type Take, type TakenTurn, type TakeRequest } from '#lanes';
import { parseSessionKey } from '#routing';
import { Metrics, type Logger } from '#telemetry';
import { ActivationWork } from './activation-work.js';
import { claimedTurn } from './claimed-turn.js';
import { Drain } from './drain.js';
import { lateLetters } from './late-letters.js';
import { Epochs } from './epochs.js';
import { ParkedTurns } from './parked-turns.js';
import { tracedTurn } from './traced-turn.js';
import { TurnService, type TurnDone } from './turn.service.js';
import { buryUnreadable, UnreadableMail } from './unreadable-mail.js';

const BUSY_RETRY_MS = 200;

/** Drains one claimed session: turn after turn until its mailbox is empty, its budget is used, or it has to stop. */
@Injectable()
export class SessionActivation {
  private readonly company = new CrashCompany();

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly turns: TurnService,
    private readonly parks: ParkedTurns,
    private readonly epochs: Epochs,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Admission around the work: a slot is asked for before anything is touched, and given back whatever happens. */
  async run(claim: Claim<SessionKey>): Promise<ClaimEnd> {
    const { admission } = this.platform;
    const { tenant = '', agent = '' } = parseSessionKey(claim.key) ?? {};
    const candidate = { claim, tenant, agent, resumes: attemptOf(claim) > 1 };
    if ((await admission.admit(candidate)) === 'queued') return { kind: 'done' };
    checkpoint('runner.admitted');
    const work = new ActivationWork(candidate, this.platform.mailboxes.of(claim));
    try {
      return await this.work(work);
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      this.metrics.leaseLost.inc({ lane: 'turns' });
      return { kind: 'done' };
    } finally {
      work.leaveCompany();
      await admission.free(candidate, work.turns);
    }
  }

  private async work(work: ActivationWork): Promise<ClaimEnd> {
    let take = await work.mailbox.take(this.request(work));
    for (;;) {
      const end = await this.step(work, take);
      if (end) return end;
      take = await this.next(work);
    }
  }

  /** Ends what was answered and takes what comes next, in one call. */
  private async next(work: ActivationWork): Promise<Take> {
    const take = await work.mailbox.take(this.request(work));
    work.toAck = [];
    checkpoint('runner.acked');
    return take;
  }

  /** Which messages share a turn their modes and windows decide (QU-2). The transcript is read once. */
  private request({ candidate: { tenant, agent }, history, relayed, toAck: ended }: ActivationWork): TakeRequest {
    const { current } = this.source;
    const { cap, drop } = (tenantConfig(current, tenant) ?? current).session.queue;
    return {
      most: current.lanes.turns.budget,
      cap,
      drop,
      history: history ? 0 : (agentConfig(current, tenant, agent) ?? goneAgent).maxHistoryTurns,
      relayed,
      ended,
    };
  }

  /** @returns undefined to go on. */
  private async step(work: ActivationWork, take: Take): Promise<ClaimEnd | undefined> {
    switch (take.kind) {
      case 'superseded':
        throw new LeaseLostError(work.claim.key, 'take');
      case 'rolledBack':
        this.logger.warn({ session: work.claim.key }, 'Activation ids had gone back: raised');
        await this.platform.turns.raiseFloorAbove(work.claim.key, take.fence);
        await this.platform.turns.activate(work.claim.key);
        return { kind: 'done' };
      case 'tooEarly':
        return { kind: 'later', ms: take.ms, recheck: () => work.mailbox.recheck() };
      case 'released':
        return { kind: 'done' };
      case 'busy':
        return this.hold(work, BUSY_RETRY_MS);
      case 'rows':
        work.relayed = await this.platform.relay.relay(take.rows);
        return undefined;
      case 'turn':
        return this.turn(work, take).catch((error: unknown) => this.bury(error, work, take));
    }
  }

  private async turn(work: ActivationWork, taken: TakenTurn): Promise<ClaimEnd | undefined> {
    if (taken.rows.length > 0) work.relayed = await this.platform.relay.relay(taken.rows);
    const live = taken.messages.filter(({ flag }) => flag !== 'seen');
    const late = lateLetters(taken, this.source.current.lanes.crashesAllowed);
    for (const { id, reason } of late) await work.mailbox.bury(id, reason);
    work.toAck = taken.messages.map(({ id }) => id).filter((id) => !late.some((letter) => letter.id === id));
    if (live.length === 0) return undefined;
    for (const { fresh, acceptedAt = taken.now } of live)
      if (fresh) this.metrics.queueWait.observe({ lane: 'turns' }, (taken.now - acceptedAt) / 1000);
    work.history ??= taken.history;
    const claimed = claimedTurn(work.claim, taken, live, work.history);
    const { drop } = claimed;
    if (drop) return this.dropped(work, await tracedTurn(claimed, () => this.turns.drop(claimed, drop)));
    const going = await this.parks.takeUp(claimed);
    if (!going) return undefined;
    const turn = await this.epochs.renewed(going);
    if (turn !== going) work.history = [];
    const dead = live.some(({ flag }) => flag === 'dead');
    if (!dead) await this.keepCompany(work, Math.max(...live.map(({ crashes }) => crashes)));
    if (!dead) work.turns++;
    const done = await tracedTurn(turn, () => (dead ? this.turns.bury(turn) : this.turns.run(turn, this.drain.signal, work)));
    if (dead) {
      for (const { id } of live) await work.mailbox.bury(id, 'crashed');
      work.toAck = work.toAck.filter((id) => !live.some((message) => message.id === id));
    }
    return this.after(work, done, turn.messages.length);
  }

  private async bury(mail: unknown, work: ActivationWork, taken: TakenTurn): Promise<undefined> {
    if (!(mail instanceof UnreadableMail)) throw mail;
    this.metrics.deadLetters.inc({ queue: 'turns', reason: 'unreadable' }, mail.messages.length);
    this.logger.error({ session: work.claim.key, messageIds: mail.ids }, 'Messages that hold no envelope are dead letters now');
    const gone = await buryUnreadable(mail, work, taken, this.platform);
    work.toAck = [...taken.messages.filter(({ flag }) => flag === 'seen').map(({ id }) => id), ...gone];
  }

  /** No turn was run, so the fleet's rate is not charged for one. */
  private dropped(work: ActivationWork, done: TurnDone): undefined {
    if (done.kind === 'committed') work.dropped(done.record, done.relayed);
  }

  private async after(work: ActivationWork, done: TurnDone, messages: number): Promise<ClaimEnd | undefined> {
    if (done.kind === 'abandon') return { kind: 'done' };
    if (done.kind === 'handBack') return this.handBack(work);
    if (done.kind === 'wait') return this.hold(work, done.afterMs, 'limit');
    if (done.kind === 'retry') return this.hold(work, done.afterMs);
    work.committed(done, messages);
    const { budget } = this.source.current.lanes.turns;
    if (work.messagesRun >= budget || this.drain.begun) return this.yield(work);
    return (await this.platform.admission.charge(work.candidate, work.turns)) === 'queued' ? this.giveWay(work) : undefined;
  }

  /** The key goes to the tail of the queue; the follow-up activation is made when this one ends. */
  private async yield(work: ActivationWork): Promise<ClaimEnd> {
    await Promise.all([work.mailbox.ack(work.toAck), this.platform.turns.activate(work.claim.key)]);
    return { kind: 'done' };
  }

  /** A rate allows no further turn: the session asks again from the end of its line, if it has more mail at all. */
  private async giveWay(work: ActivationWork): Promise<ClaimEnd | undefined> {
    const take = await work.mailbox.take({ ...this.request(work), most: 0 });
    work.toAck = [];
    if (take.kind !== 'busy' && take.kind !== 'rows') return this.step(work, take);
    await this.platform.turns.activate(work.claim.key);
    return { kind: 'done' };
  }

  private async hold(work: ActivationWork, ms: number, why: 'backoff' | 'limit' = 'backoff'): Promise<ClaimEnd> {
    if (!(await work.mailbox.hold(ms, why))) throw new LeaseLostError(work.claim.key, 'hold');
    checkpoint('runner.held');
    return { kind: 'later', ms, recheck: () => work.mailbox.recheck() };
  }

  private async handBack(work: ActivationWork): Promise<ClaimEnd> {
    if (!(await work.mailbox.hold(0, 'drain'))) throw new LeaseLostError(work.claim.key, 'hand back');
    return { kind: 'handBack' };
  }

  /** Waits, released, until the company is small enough for what these messages are suspected of. */
  private async keepCompany(work: ActivationWork, crashes: number): Promise<void> {
    const level = CrashCompany.level(crashes, this.source.current.lanes.crashesAllowed);
    if (level === 0 || work.inCompany) return;
    if (this.company.mustWait(level) && !(await work.mailbox.hold(0, 'suspect')))
      throw new LeaseLostError(work.claim.key, 'suspect');
    work.enterCompany(await this.company.enter(level, AbortSignal.any([this.drain.signal, work.claim.signal])));
    if (!(await work.mailbox.suspect(CrashCompany.isAlone(level) ? 'alone' : 'company')))
      throw new LeaseLostError(work.claim.key, 'suspect');
  }
}
