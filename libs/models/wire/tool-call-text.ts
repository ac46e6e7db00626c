/** Wires refuse a whole request for one odd name in its history. */
const NAME_LIMIT = 64;

/** A name every wire takes, for a call of the transcript. */
export function safeToolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, NAME_LIMIT) || 'unnamed';
}

/** The arguments of an earlier call as an object: wires parse them, and refuse the request when they cannot. */
export function argumentsObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below.
  }
  return { malformed: text };
}
