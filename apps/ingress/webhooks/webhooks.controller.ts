import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ChannelRegistry, type InboundAccount } from '#channels';
import { ConfigSource } from '#config';
import { Metrics } from '#telemetry';
import { CallerLimit } from '../access/caller-limit.js';
import { SignedWebhook } from '../access/route-access.js';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { decodeBody } from './webhook-body.js';
import { WebhookEvents } from './webhook-events.js';

/** Where chat platforms post their events (IN-1): verified on the raw bytes, acknowledged when all of it is stored (IN-3). */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly events: WebhookEvents,
    private readonly redis: RedisCalls,
    private readonly limit: CallerLimit,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
  ) {}

  @Post(':channel/:account')
  @SignedWebhook()
  @HttpCode(200)
  async receive(
    @Param('channel') channel: string,
    @Param('account') account: string,
    @Body() body: Buffer | undefined,
    @Req() { headers, raw }: FastifyRequest,
  ): Promise<Record<string, unknown> | undefined> {
    const endTimer = this.metrics.webhookDuration.startTimer();
    try {
      return await this.take(this.find(channel, account), body ?? Buffer.alloc(0), singleHeaders(headers));
    } catch (error) {
      const isStranger = error instanceof Problem && (error.status === 401 || error.status === 404);
      throw isStranger ? await this.limit.stranger(raw, error) : error;
    } finally {
      endTimer();
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

  private async take(from: InboundAccount, raw: Buffer, headers: Record<string, string | undefined>) {
    const { channel, inbound } = from;
    const verified = inbound.verify({ body: raw, headers });
    if (!verified.ok) {
      this.metrics.inboundMessages.inc({ channel, outcome: 'refused' });
      throw new Problem(401, 'not-verified', `This request does not prove where it comes from: ${verified.reason}.`);
    }
    const { http } = this.config.current;
    const request = { body: decodeBody(raw, headers['content-encoding'], http.bodyLimitBytes), headers };
    const events = inbound.parse(request);
    await this.redis.within(() => this.events.take(events, from), http.webhookTimeoutMs);
    return inbound.acknowledgement?.(request);
  }
}

/** A header that came twice is refused like one that did not come: nobody can say which was meant. */
function singleHeaders(headers: FastifyRequest['headers']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );
}
