import { Injectable } from '@nestjs/common';
import { Pairings, readPairingCode, type ApprovedSender, type PairedSender, type PendingPairing } from '#access';
import { accountsOf, ConfigSource, tenantConfig } from '#config';
import type { TenantId } from '#kernel';
import { RequestLimiter } from '#limits';
import { RedisCalls } from '../http/redis-calls.js';

/** A minute, of one person: nobody guesses a code of forty bits. */
const MOST_TRIES = 10;

export type Approval = { kind: 'approved'; sender: PairedSender } | { kind: 'unknown' } | { kind: 'tooOften'; waitMs: number };

export interface PairingList {
  pending: PendingPairing[];
  approved: ApprovedSender[];
}

/** What owners and administrators do with those who ask to be heard (IN-8). Throws UnavailableError. */
@Injectable()
export class PairingService {
  constructor(
    private readonly pairings: Pairings,
    private readonly limiter: RequestLimiter,
    private readonly redis: RedisCalls,
    private readonly config: ConfigSource,
  ) {}

  /** @param by who approves, for the record and for counting tries */
  async approve(tenant: TenantId, text: string, by: string): Promise<Approval> {
    const { waitMs } = await this.redis.within(() => this.limiter.count(`pairing:${tenant}:${by}`, MOST_TRIES));
    if (waitMs > 0) return { kind: 'tooOften', waitMs };
    const code = readPairingCode(text);
    const sender = code && (await this.redis.within(() => this.pairings.approve(tenant, code, by)));
    return sender ? { kind: 'approved', sender } : { kind: 'unknown' };
  }

  /** @returns false: was not known there */
  async revoke(tenant: TenantId, { channel, account, sender }: Omit<PairedSender, 'name'>): Promise<boolean> {
    return this.redis.within(() => this.pairings.revoke({ tenant, channel, account }, sender));
  }

  async list(tenant: TenantId): Promise<PairingList> {
    const sections = tenantConfig(this.config.current, tenant);
    const accounts = sections ? accountsOf(sections) : [];
    const places = accounts.map(({ channel, account }) => ({ tenant, channel, account }));
    const lists = await this.redis.within(() => Promise.all(places.map((place) => this.pairings.list(place))));
    return { pending: lists.flatMap(({ pending }) => pending), approved: lists.flatMap(({ approved }) => approved) };
  }
}
