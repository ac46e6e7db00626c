import type { Tool } from '#agent';

/** Tools whose effects happen at the judge, which counts every execution. One of each effect. */
export function judgedTools(url: string): Tool[] {
  return (['pure', 'idempotent', 'once'] as const).map((effect) => ({
    name: `${effect}_tool`,
    description: `Does something ${effect} at the judge.`,
    parameters: { type: 'object', properties: { value: { type: 'string' } } },
    effect,
    async execute(_args, { turn, callId }, signal) {
      const body = JSON.stringify({ turn, callId, effect, process: process.env.TEST_MEMBER });
      const response = await fetch(`${url}/tool`, { method: 'POST', body, signal });
      return { text: await response.text(), isError: !response.ok };
    },
  }));
}
