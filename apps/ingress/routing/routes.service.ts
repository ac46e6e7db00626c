import { Injectable } from '@nestjs/common';
import { accountOwners, ConfigSource, DEFAULT_TENANT, routingRules, tenantConfig, type Config } from '#config';
import { Router } from '#routing';
import { Problem } from '../http/problem.js';

interface Made {
  /** By `<channel>/<account>`. */
  tenants: ReadonlyMap<string, string>;
  routers: Map<string, Router>;
}

/** The routers of the tenants, made anew when the configuration is another one. */
@Injectable()
export class Routes {
  private readonly made = new WeakMap<Config, Made>();

  constructor(private readonly config: ConfigSource) {}

  /** Of whatever comes in by a channel account. One that code has added is of the tenant `default`. */
  ofAccount(channel: string, account: string): Router {
    return this.of(this.tenantOf(channel, account));
  }

  tenantOf(channel: string, account: string): string {
    return this.current().tenants.get(`${channel}/${account}`) ?? DEFAULT_TENANT;
  }

  /** @throws Problem 404 a tenant that is not configured */
  of(tenant: string): Router {
    const { routers } = this.current();
    const known = routers.get(tenant);
    if (known) return known;
    const sections = tenantConfig(this.config.current, tenant);
    if (!sections) throw new Problem(404, 'unknown-tenant', 'The tenant of this token is not configured any more.');
    const router = new Router(routingRules(tenant, sections));
    routers.set(tenant, router);
    return router;
  }

  private current(): Made {
    const { current } = this.config;
    const made = this.made.get(current) ?? { tenants: accountOwners(current), routers: new Map() };
    this.made.set(current, made);
    return made;
  }
}
