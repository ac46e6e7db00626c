import type { LimitsConfig } from '#config';

interface Limit {
  concurrency: number;
  turnsPerSecond: number;
}

/** Fields and values of the hash that admit.lua reads: `f`, `t` and `a` hold for all, `t|<tenant>` and `a|<tenant>|<agent>` for one. */
export function limitsTable({ fleet, tenant, agent, tenants }: LimitsConfig): string[] {
  const rows: [scope: string, limit: Limit, weight: number][] = [
    ['f', fleet, 1],
    ['t', tenant, tenant.weight],
    ['a', agent, 1],
  ];
  for (const [id, { agents, ...own }] of Object.entries(tenants)) {
    rows.push([`t|${id}`, limitOf(own, tenant), own.weight ?? tenant.weight]);
    for (const [name, its] of Object.entries(agents)) rows.push([`a|${id}|${name}`, limitOf(its, agent), 1]);
  }
  const isLimited = rows.some(([, { concurrency, turnsPerSecond }]) => concurrency > 0 || turnsPerSecond > 0);
  const flat = rows.flatMap(([scope, { concurrency, turnsPerSecond }, weight]) => [
    scope,
    `${concurrency} ${turnsPerSecond} ${weight}`,
  ]);
  return isLimited ? ['on', '1', ...flat] : flat;
}

function limitOf(own: { [Key in keyof Limit]?: Limit[Key] | undefined }, otherwise: Limit): Limit {
  return {
    concurrency: own.concurrency ?? otherwise.concurrency,
    turnsPerSecond: own.turnsPerSecond ?? otherwise.turnsPerSecond,
  };
}
