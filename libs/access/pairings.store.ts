import { z } from 'zod';
import type { TenantId } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { newPairingCode } from './pairing-code.js';

/** Where somebody is known: approved on one account is unknown on the next. */
export interface PairingPlace {
  tenant: TenantId;
  channel: string;
  account: string;
}

export interface Stranger {
  sender: string;
  /** As they call themselves. */
  name: string | null;
  /** The message that asks: asked again by the same one, the answer is the same. */
  message: string;
}

export type Knock = { kind: 'approved' } | { kind: 'code'; code: string } | { kind: 'asked' } | { kind: 'full' };

export interface PairedSender {
  channel: string;
  account: string;
  sender: string;
  name: string;
}

export interface PendingPairing extends PairedSender {
  code: string;
  /** Ms. */
  endsInMs: number;
}

export interface ApprovedSender extends PairedSender {
  by: string;
  /** Redis time, ms. */
  at: number;
}

const CODE_TTL_MS = 3_600_000;
/** Of one account: nobody can fill it, and nobody has to read long lists. */
const MOST_PENDING = 3;

const requestScript = loadScript(import.meta.dirname, 'request-pairing', 'time');
const approveScript = loadScript(import.meta.dirname, 'approve-pairing', 'time');
const listScript = loadScript(import.meta.dirname, 'list-pairings', 'time');
const revokeScript = loadScript(import.meta.dirname, 'revoke-pairing');

const requestSchema = z.object({ sender: z.string(), name: z.string(), ends: z.number(), approved: z.boolean().optional() });
const approvalSchema = z.object({ name: z.string(), by: z.string(), at: z.number() });
const placeSchema = z.object({ channel: z.string(), account: z.string() });

/** Who may write directly because somebody said so (IN-8), shared by all replicas. Rejects like the connection does. */
export class Pairings {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly newCode: () => string = newPairingCode,
  ) {}

  async isApproved(place: PairingPlace, sender: string): Promise<boolean> {
    return (await this.redis.hexists(this.approved(place), sender)) === 1;
  }

  /** A code for a stranger to show to an owner: valid for an hour, and told once in that time. */
  async request(place: PairingPlace, { sender, name, message }: Stranger): Promise<Knock> {
    const { tenant, channel, account } = place;
    const code = this.newCode();
    const keys = [...this.keys(place), this.code(tenant, code)];
    const args = [sender, name ?? '', message, code, CODE_TTL_MS, MOST_PENDING, JSON.stringify({ channel, account })];
    const [kind, given = ''] = (await requestScript.run(this.redis, keys, args)) as [Knock['kind'], string?];
    return kind === 'code' ? { kind, code: given } : { kind };
  }

  /** @param by who says so, for the record. @returns undefined for a code that is unknown here, or too old */
  async approve(tenant: TenantId, code: string, by: string): Promise<PairedSender | undefined> {
    const where = await this.redis.get(this.code(tenant, code));
    if (where === null) return undefined;
    const { channel, account } = placeSchema.parse(JSON.parse(where));
    const keys = this.keys({ tenant, channel, account });
    const found = (await approveScript.run(this.redis, keys, [code, by])) as [string, string] | null;
    return found ? { channel, account, sender: found[0], name: found[1] } : undefined;
  }

  /** @returns false: was neither approved nor asking */
  async revoke(place: PairingPlace, sender: string): Promise<boolean> {
    return (await revokeScript.run(this.redis, this.keys(place), [sender])) === 1;
  }

  async list(place: PairingPlace): Promise<{ pending: PendingPairing[]; approved: ApprovedSender[] }> {
    type Reply = [now: number, approved: string[], pending: string[]];
    const [now, approved, pending] = (await listScript.run(this.redis, this.keys(place), [])) as Reply;
    const { channel, account } = place;
    return {
      pending: pairs(pending).flatMap(([code, json]) => {
        const { sender, name, ends, approved: done } = requestSchema.parse(JSON.parse(json));
        return done || ends <= now ? [] : [{ code, channel, account, sender, name, endsInMs: ends - now }];
      }),
      approved: pairs(approved).map(([sender, json]) => ({
        channel,
        account,
        sender,
        ...approvalSchema.parse(JSON.parse(json)),
      })),
    };
  }

  private keys(place: PairingPlace): [approved: string, pending: string] {
    return [this.approved(place), this.of('pending', place)];
  }

  private approved(place: PairingPlace): string {
    return this.of('approved', place);
  }

  private of(what: string, { tenant, channel, account }: PairingPlace): string {
    return this.keyspace.access(`${what}:${tenant}:${channel}:${account}`);
  }

  private code(tenant: TenantId, code: string): string {
    return this.keyspace.access(`code:${tenant}:${code}`);
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((field, i) => (i % 2 === 0 ? [[field, flat[i + 1] ?? ''] as [string, string]] : []));
}
