import { z } from 'zod';

const optionSchema = z.object({ const: z.string(), title: z.string() });
const optionsShape = { enum: z.array(z.string()).optional(), enumNames: z.array(z.string()).optional() };

/** One thing a server wants to know: the flat schemas MCP allows in a form (2025-11-25, elicitation). */
export const fieldSchema = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array']),
  title: z.string().optional(),
  description: z.string().optional(),
  ...optionsShape,
  oneOf: z.array(optionSchema).optional(),
  items: z.object({ ...optionsShape, anyOf: z.array(optionSchema).optional() }).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  default: z.unknown().optional(),
});
export type Field = z.output<typeof fieldSchema>;

export const fieldValueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type FieldValue = z.output<typeof fieldValueSchema>;

interface Option {
  value: string;
  label: string;
}

/** What may be answered, in the words the person sees; empty where anything may. */
export function labelsOf(field: Field): string[] {
  return field.type === 'boolean' ? ['yes', 'no'] : optionsOf(field).map(({ label }) => label);
}

/** @returns what a person's words mean for the field; undefined: nothing it takes */
export function valueOf(field: Field, words: string): FieldValue | undefined {
  switch (field.type) {
    case 'boolean':
      return booleanOf(words);
    case 'number':
    case 'integer':
      return numberOf(field, words);
    case 'array':
      return listOf(field, words);
    case 'string':
      return optionsOf(field).length > 0 ? chosen(field, words) : textOf(field, words);
  }
}

/** What goes with no answer. */
export function defaultOf({ default: given }: Field): FieldValue | undefined {
  const parsed = fieldValueSchema.safeParse(given);
  return parsed.success ? parsed.data : undefined;
}

function optionsOf(field: Field): Option[] {
  const { enum: values, enumNames: names } = field.items ?? field;
  const titled = field.oneOf ?? field.items?.anyOf;
  if (titled) return titled.map(({ const: value, title: label }) => ({ value, label }));
  return (values ?? []).map((value, i) => ({ value, label: names?.[i] ?? value }));
}

function chosen(field: Field, words: string): string | undefined {
  const asked = words.toLowerCase();
  return optionsOf(field).find(({ value, label }) => [value, label].some((name) => name.toLowerCase() === asked))?.value;
}

function booleanOf(words: string): boolean | undefined {
  if (/^(yes|y|true|ok)$/i.test(words)) return true;
  return /^(no|n|false)$/i.test(words) ? false : undefined;
}

function numberOf({ type, minimum = -Infinity, maximum = Infinity }: Field, words: string): number | undefined {
  const value = words === '' ? NaN : Number(words);
  const fits = Number.isFinite(value) && value >= minimum && value <= maximum;
  return fits && (type === 'number' || Number.isInteger(value)) ? value : undefined;
}

function listOf(field: Field, words: string): string[] | undefined {
  const { minItems = 0, maxItems = Infinity } = field;
  const values = words.split(',').flatMap((word) => (word.trim() === '' ? [] : [chosen(field, word.trim())]));
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length && known.length >= minItems && known.length <= maxItems ? known : undefined;
}

function textOf({ minLength = 0, maxLength = Infinity }: Field, words: string): string | undefined {
  return words.length >= minLength && words.length <= maxLength ? words : undefined;
}
