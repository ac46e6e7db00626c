import { Injectable } from '@nestjs/common';
import { ConfigSource, DEFAULT_TENANT, routingRules, tenantConfig, tenantOfAccount, type Config } from '#config';
import type { TenantId } from '#kernel';
import { Router } from '#routing';
import { Problem } from '../http/problem.js';

/** The routers of the tenants, made anew when the configuration is another one. */
@Injectable()
export class Routes {
  private readonly made = new WeakMap<Config, Map<string, Router>>();

  constructor(private readonly config: ConfigSource) {}

  /** Of whatever comes in by a channel account. */
  ofAccount(channel: string, account: string): Router {
    return this.of((tenantOfAccount(this.config.current, channel, account) ?? DEFAULT_TENANT) as TenantId);
  }

  /** @throws Problem 404 a tenant that a reload has taken away */
  of(tenant: TenantId): Router {
    const { current } = this.config;
    const routers = this.made.get(current) ?? new Map<string, Router>();
    this.made.set(current, routers);
    const known = routers.get(tenant);
    if (known) return known;
    const sections = tenantConfig(current, tenant);
    if (!sections) throw new Problem(404, 'unknown-tenant', 'The tenant of this token is not configured any more.');
    const router = new Router(routingRules(tenant, sections));
    routers.set(tenant, router);
    return router;
  }
}
