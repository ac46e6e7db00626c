import type { ConfigProblem } from './config-error.js';

type Aliases = Readonly<Record<string, string>>;

/** What a name stands for. Of aliases that lead in a circle, or to no model: the last one. */
export function realModel(name: string, aliases: Aliases): string {
  const met = new Set<string>();
  for (let real = name; ; real = aliases[real] ?? real) {
    if (met.has(real) || !Object.hasOwn(aliases, real)) return real;
    met.add(real);
  }
}

/** Whether it is provider/model, and not an alias that leads nowhere. */
export function isModelName(name: string): boolean {
  return name.includes('/');
}

export function aliasProblems(aliases: Aliases): ConfigProblem[] {
  return Object.keys(aliases).flatMap((alias) => {
    const end = realModel(alias, aliases);
    if (isModelName(end)) return [];
    const path = `models.aliases.${alias}`;
    const known = Object.hasOwn(aliases, end);
    return [
      { path, message: known ? 'leads in a circle; let one of its aliases name a provider/model' : unknownAlias(end, aliases) },
    ];
  });
}

export function unknownAlias(name: string, aliases: Aliases): string {
  const known = Object.keys(aliases).join(', ') || 'none';
  return `${JSON.stringify(name)} is no model; write provider/model, or an alias of models.aliases (known: ${known})`;
}
