/** What a model reads, beside text. */
export type ModelInput = 'text' | 'image';

/** Models that read images, by the start of their own names (without vendor). */
const SEEING: readonly RegExp[] = [
  /^gpt-4o(?!.*(?:audio|realtime|search|transcribe|tts))|^gpt-4\.1|^gpt-4-turbo|^gpt-5|^chatgpt-4o/,
  /^o1(?!-(?:mini|preview))|^o3(?!-mini)|^o4/,
  /^claude-(?!2|instant)/,
  /^gemini-(?!embedding)/,
  /^gemma-?3(?!n?[-:](?:270m|1b))/,
  /^llava|^bakllava|^moondream|^minicpm-v|^pixtral|^llama-?4|^internvl/,
  /^llama-?3\.2(?:.*vision|-(?:11|90)b)/,
  /^qwen.*vl|^qvq/,
  /^mistral-(?:small-?3|small-latest|medium-(?:3|latest|25)|large-(?:3|25))/,
  /^grok-(?:4|2-vision|vision)|^glm-4(?:\.\d)?v|^kimi-(?:vl|k2\.5|latest)|^granite.*vision|^phi-(?:4-multimodal|3.*vision)/,
];

/** @param configured by provider/model: models.inputs */
export function readsImages(
  provider: string,
  model: string,
  configured: Readonly<Record<string, readonly ModelInput[]>>,
): boolean {
  const named = configured[`${provider}/${model}`];
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return named ? named.includes('image') : SEEING.some((pattern) => pattern.test(name));
}
