/** Tokens a model takes in (its answer apart, where the vendor counts that apart), by the start of its own name (without vendor). The first fitting row counts. */
const WINDOWS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-5.*chat/, 128_000],
  [/^gpt-5/, 272_000],
  [/^gpt-4o|^gpt-4-turbo|^gpt-oss|^o1-mini/, 128_000],
  [/^o[134]/, 200_000],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/^claude/, 200_000],
  [/^gemini/, 1_000_000],
  [/^llama-?3\.[1-3]|^llama-?4|^mistral-large|^glm-4|^kimi/, 128_000],
  [/^deepseek/, 64_000],
];

/** What nearly every model served today takes. */
const DEFAULT_WINDOW = 32_768;

/** @param configured by provider/model: models.windows */
export function windowOf(provider: string, model: string, configured: Readonly<Record<string, number>> = {}): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return configured[`${provider}/${model}`] ?? WINDOWS.find(([pattern]) => pattern.test(name))?.[1] ?? DEFAULT_WINDOW;
}
