const FENCED = /^```(?:json)?\s*\n([^]*?)\n?```$/;

/** The JSON value a model has answered with, in a code fence or without. Throws an Error that shows what it said instead. */
export function jsonIn(answer: string): unknown {
  const text = answer.trim();
  try {
    return JSON.parse(FENCED.exec(text)?.[1] ?? text);
  } catch {
    throw new Error(`The model did not answer with JSON: ${text.slice(0, 500)}`);
  }
}
