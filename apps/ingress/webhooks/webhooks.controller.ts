import { Controller, Get, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ChannelRegistry, type InboundAccount, type WebhookRequest } from '#channels';
import { ConfigSource } from '#config';
import { systemClock } from '#kernel';
import { Metrics, OTHER } from '#telemetry';
import { CallerLimit } from '../access/caller-limit.js';
import { SignedWebhook } from '../access/route-access.js';
import { Problem, problemOf } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { decodeBody } from './webhook-body.js';
import { DeliveryReports } from './delivery-reports.js';
import { WebhookEvents } from './webhook-events.js';

/** Where chat platforms post their events (IN-1): verified on the raw bytes, acknowledged when all of it is stored (IN-3). */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly events: WebhookEvents,
    private readonly reports: DeliveryReports,
    private readonly redis: RedisCalls,
    private readonly limit: CallerLimit,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
  ) {}

  @Post(':channel/:account')
  @SignedWebhook()
  @HttpCode(200)
  async receive(@Param() { channel, account }: Address, @Req() request: FastifyRequest): Promise<Answer> {
    return this.timed(channel, () => this.knownOnly(request, () => this.take(this.find(channel, account), request)));
  }

  /** Platforms that ask by GET whether an address is theirs to post to. */
  @Get(':channel/:account')
  @SignedWebhook()
  @Header('x-content-type-options', 'nosniff')
  async shakeHands(@Param() { channel, account }: Address, @Req() request: FastifyRequest): Promise<Answer> {
    return this.knownOnly(request, async () => {
      const from = this.find(channel, account);
      const { inbound } = from;
      const answer = inbound.handshake && inbound.handshake(this.verified(from, request));
      if (answer === undefined) throw new Problem(405, 'post-only', 'Events are posted here.', { headers: { allow: 'POST' } });
      return answer;
    });
  }

  private async timed(channel: string, work: () => Promise<Answer>): Promise<Answer> {
    const began = systemClock.monotonic();
    let status = 200;
    try {
      return await work();
    } catch (error) {
      status = problemOf(error)?.status ?? 500;
      throw error;
    } finally {
      // Anybody may ask for any channel: only those that are configured have a name.
      const known = this.channels.inbound().some((account) => account.channel === channel) ? channel : OTHER;
      const seconds = (systemClock.monotonic() - began) / 1000;
      this.metrics.webhookDuration.observe({ channel: known, status: `${Math.floor(status / 100)}xx` }, seconds);
    }
  }

  /** Whoever asks often for what is not there, or can't prove who it is, is answered no more. */
  private async knownOnly({ raw }: FastifyRequest, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const isStranger = error instanceof Problem && (error.status === 401 || error.status === 404);
      throw isStranger ? await this.limit.stranger(raw, error) : error;
    }
  }

  private find(channel: string, account: string): InboundAccount {
    const found = this.channels.inbound().find((one) => one.channel === channel && one.account === account);
    if (found) return found;
    throw new Problem(
      404,
      'no-such-account',
      'No channel account is configured under this address: /webhooks/<channel>/<account>.',
    );
  }

  private async take(from: InboundAccount, asked: FastifyRequest): Promise<Answer> {
    const { inbound } = from;
    const request = this.verified(from, asked);
    const answer = inbound.handshake?.(request);
    if (answer !== undefined) return answer;
    const events = inbound.parse(request);
    const reports = inbound.reports?.(request) ?? [];
    await this.redis.within(async () => {
      await this.reports.take(reports, from);
      if (events.length > 0 || reports.length === 0) await this.events.take(events, from);
    }, this.config.current.http.webhookTimeoutMs);
    return inbound.acknowledgement?.(request);
  }

  /** The request as its channel reads it: unpacked, once the bytes as they came are proven. */
  private verified({ channel, inbound }: InboundAccount, { method, query, headers, body }: FastifyRequest): WebhookRequest {
    const request: WebhookRequest = {
      method: method === 'POST' ? 'POST' : 'GET',
      query: singles(query),
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      headers: singles(headers),
    };
    const verified = inbound.verify(request);
    if (verified.ok)
      return {
        ...request,
        body: decodeBody(request.body, request.headers['content-encoding'], this.config.current.http.bodyLimitBytes),
      };
    this.metrics.signatureFailures.inc({ channel });
    this.metrics.inboundMessages.inc({ channel, outcome: 'refused' });
    throw new Problem(401, 'not-verified', `This request does not prove where it comes from: ${verified.reason}.`);
  }
}

interface Address {
  channel: string;
  account: string;
}

/** Text goes out as text/plain, an object as JSON. */
type Answer = string | Record<string, unknown> | undefined;

/** What came twice, a header or a parameter, is refused like one that did not come: nobody can say which was meant. */
function singles(pairs: unknown): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(pairs ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );
}
