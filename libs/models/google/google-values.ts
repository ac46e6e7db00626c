import type { Schema } from '../wire/schema/json-schema.js';

/** What Gemini has no keyword for, or not everywhere: the description says it. */
const TOLD = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'multipleOf',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'default',
];
/** Its enums hold strings, and none that is empty. */
const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Its own words, and what only words can say; undefined when there are none. */
export function described(schema: Schema): string | undefined {
  const title = schema.description ?? schema.title;
  const notes = TOLD.flatMap((keyword) => {
    const value = schema[keyword];
    return value === undefined ? [] : [`${keyword}: ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  const words = [typeof title === 'string' ? title : '', notes.length > 0 ? `(${notes.join('; ')})` : ''];
  return words.filter(Boolean).join(' ') || undefined;
}

/** One schema for each type of these values. @param types what else is said of them; none: anything */
export function enumSchemas(values: readonly unknown[], types: readonly string[]): Schema[] {
  const may = (type: string): boolean => types.length === 0 || types.includes(type);
  const strings = values.filter((value) => typeof value === 'string');
  const numbers = values.filter((value) => typeof value === 'number');
  const others = values.filter((value) => typeof value === 'object' && value !== null);
  const schemas: Schema[] = [];
  if (strings.length > 0 && may('string'))
    schemas.push(strings.every(isName) ? { type: 'string', enum: strings } : { type: 'string', ...oneOf(strings) });
  if (numbers.length > 0 && (may('number') || may('integer')))
    schemas.push({ type: numbers.every(Number.isInteger) ? 'integer' : 'number', ...oneOf(numbers) });
  if (values.some((value) => typeof value === 'boolean') && may('boolean')) schemas.push({ type: 'boolean' });
  if (values.includes(null) && may('null')) schemas.push({ type: 'null' });
  if (others.some((value) => !Array.isArray(value)) && may('object')) schemas.push({ type: 'object', ...oneOf(others) });
  if (others.some((value) => Array.isArray(value)) && may('array'))
    schemas.push({ type: 'array', items: { type: 'string' }, ...oneOf(others) });
  return schemas;
}

function oneOf(values: readonly unknown[]): Schema {
  return { description: `One of ${values.map((value) => JSON.stringify(value)).join(', ')}` };
}
