import type { TurnResult } from '#agent';
import type { PluginHost } from '#plugins';
import type { ClaimedTurn } from './claimed-turn.js';

/** A turn that a command of a plugin answers, and no model. @returns undefined: it is none */
export async function commandOfPlugin(plugins: PluginHost, turn: ClaimedTurn): Promise<TurnResult | undefined> {
  const [{ text, tenant, sender }, another] = turn.envelopes;
  if (another || !text.startsWith('/')) return undefined;
  const said = await plugins.command(text, { tenant, sessionKey: turn.claim.key, senderId: sender.id });
  if (said === undefined) return undefined;
  return {
    messages: [{ role: 'assistant', text: said, toolCalls: [] }],
    text: said,
    usage: { inputTokens: 0, outputTokens: 0 },
    steps: 0,
  };
}
