import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** What is wrong with a value: where (dotted, '' = the value itself) and what. */
export interface SchemaProblem {
  path: string;
  message: string;
}

/** Whose schemas these are is not known: unknown keywords and formats are no error, and nothing is fetched. */
const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false, addUsedSchema: false } as const;
const plain = new Ajv2020(OPTIONS);
const filling = new Ajv2020({ ...OPTIONS, useDefaults: true });

/**
 * Checks values against a JSON Schema of a plugin or an MCP server (2020-12; draft-07 as far as the two agree). Compiled at
 * its first use: a thousand tools cost nothing until they are called.
 */
export class JsonSchema {
  private validate: ValidateFunction | undefined;

  /** @param defaults `fill` writes the schema's defaults into the value that is checked */
  constructor(
    private readonly schema: Readonly<Record<string, unknown>>,
    private readonly defaults: 'keep' | 'fill' = 'keep',
  ) {}

  /** Empty: it fits. A schema that is none throws InvalidInputError's cause as it is: Error. */
  problems(value: unknown): SchemaProblem[] {
    this.validate ??= this.compile();
    if (this.validate(value)) return [];
    return (this.validate.errors ?? []).map(problemOf);
  }

  private compile(): ValidateFunction {
    // `$schema` may name a draft, `$id` may come twice: neither changes what is checked.
    const { $schema: _, $id: __, ...schema } = this.schema;
    return (this.defaults === 'fill' ? filling : plain).compile(schema);
  }
}

export function describeProblems(problems: readonly SchemaProblem[]): string {
  return problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('\n');
}

function problemOf({ instancePath, keyword, params, message = 'is not allowed' }: ErrorObject): SchemaProblem {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const named = (key: unknown): string => [path, String(key)].filter(Boolean).join('.');
  if (keyword === 'required') return { path: named(params['missingProperty']), message: 'is required' };
  if (keyword === 'additionalProperties') return { path: named(params['additionalProperty']), message: 'is not known' };
  if (keyword === 'enum') return { path, message: `must be one of ${JSON.stringify(params['allowedValues'])}` };
  return { path, message };
}
