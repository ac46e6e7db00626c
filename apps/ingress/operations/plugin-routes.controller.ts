import { All, Controller, Inject, Req, Res, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Hooks } from '#agent';
import { ConfigSource } from '#config';
import { LOGGER, Platform } from '#host';
import { describeThrown, UnavailableError } from '#kernel';
import { PluginHost, RedisPluginStorage } from '#plugins';
import type { Logger } from '#telemetry';
import { callerOf } from '../access/route-access.js';
import { Problem } from '../http/problem.js';

const ROUTE_MS = 30_000;
const ADDRESS = /^\/plugins\/([\w-]+)(\/[^?]*)/;
const querySchema = z.record(z.string(), z.string()).catch({});

/** Routes of plugins (TO-2). Their code is loaded here at the first request, where a manifest names routes; everything else of them runs in the runner. */
@Controller('plugins')
export class PluginRoutesController implements OnApplicationShutdown {
  private readonly host: PluginHost;
  private loading: Promise<void> | undefined;

  constructor(
    source: ConfigSource,
    { request, keyspace }: Platform,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.host = new PluginHost(() => source.current.plugins, {
      logger,
      hooks: new Hooks(),
      role: 'routes',
      storage: (plugin, tenant) => new RedisPluginStorage(request, keyspace, plugin, tenant),
      complete: () => Promise.reject(new UnavailableError('Models are there for tools, not for routes')),
    });
    source.onChange(() => (this.loading = undefined));
  }

  /** Throws Problem 404, 502, 504. */
  @All('*')
  async serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [, plugin = '', path = ''] = ADDRESS.exec(request.url) ?? [];
    await (this.loading ??= this.host.refresh());
    const route = this.host.route(plugin, request.method, path);
    if (!route) throw new Problem(404, 'not-found', `No plugin answers ${request.method} ${path} here`);
    const { tenant, name: caller } = callerOf(request);
    const asked = { method: request.method, path, query: querySchema.parse(request.query), body: request.body, tenant, caller };
    const late = AbortSignal.timeout(ROUTE_MS);
    try {
      const { status = 200, body } = await route(asked, late);
      await reply.status(status).send(body);
    } catch (error) {
      this.logger.error({ plugin, path, ...describeThrown(error, asked) }, 'Route of a plugin failed');
      if (late.aborted) throw new Problem(504, 'plugin-timeout', `The plugin ${plugin} did not answer in time`);
      throw new Problem(502, 'plugin-failed', `The plugin ${plugin} failed; its log says why`);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.host.close();
  }
}
