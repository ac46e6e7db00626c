import type { GateHook, HookAnswer, HookPayload, ModifyHook } from './hook-contracts.js';

/** How an answer changes what the next handler is asked. */
export const HOOK_EDITS: {
  [N in ModifyHook | GateHook]: (payload: HookPayload<N>, answer: HookAnswer<N>) => HookPayload<N>;
} = {
  before_model_resolve: (payload, { provider = payload.provider, model = payload.model, tier = payload.tier }) => ({
    ...payload,
    provider,
    model,
    tier,
  }),
  before_agent_start: (payload) => payload,
  before_prompt_build: (payload, { before, after, tools }) => ({
    ...payload,
    system: [before, payload.system, after].filter(Boolean).join('\n\n'),
    tools: tools ? payload.tools.filter((name) => tools.includes(name)) : payload.tools,
  }),
  llm_input: (payload, { request = payload.request }) => ({ ...payload, request }),
  before_tool_call: (payload, { arguments: edited = payload.arguments }) => ({ ...payload, arguments: edited }),
  message_sending: (payload, { text = payload.text }) => ({ ...payload, text }),
};
