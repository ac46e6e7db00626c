import type { ChatMessage, ToolCall, Usage } from '#contracts';
import type { Attributes, SpanSpec } from './spans.js';

/*
 * OpenTelemetry conventions for generative AI: https://opentelemetry.io/docs/specs/semconv/gen-ai/. They are not stable yet, so their
 * names stand here and nowhere else.
 */

export function agentSpan({ agent, session }: { agent: string; session: string }): SpanSpec {
  return {
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': session,
    },
  };
}

export function chatSpan({ provider, model }: { provider: string; model: string }): SpanSpec {
  return {
    name: `chat ${model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.stream': true,
      'gen_ai.output.type': 'text',
    },
  };
}

export function toolSpan({ name, id }: Pick<ToolCall, 'name' | 'id'>): SpanSpec {
  return {
    name: `execute_tool ${name}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': id,
    },
  };
}

/** What came from a cache is part of the input, as the conventions want it. */
export function usageAttributes({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
  };
}

export function answerAttributes(answer: { finish?: string | undefined; firstChunkMs?: number | undefined }): Attributes {
  const { finish, firstChunkMs } = answer;
  return {
    ...(finish !== undefined && { 'gen_ai.response.finish_reasons': [finish] }),
    ...(firstChunkMs !== undefined && { 'gen_ai.response.time_to_first_chunk': firstChunkMs / 1000 }),
  };
}

/** Content: see tracing().content. */
export function askedContent(system: string, messages: readonly ChatMessage[]): Attributes {
  return {
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]),
    'gen_ai.input.messages': JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) }))),
  };
}

/** Content. */
export function answerContent(text: string, toolCalls: readonly ToolCall[]): Attributes {
  const parts = partsOf({ role: 'assistant', text, toolCalls: [...toolCalls] });
  return { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]) };
}

/** Content. */
export function toolContent(args: Readonly<Record<string, unknown>>, result: string): Attributes {
  return { 'gen_ai.tool.call.arguments': JSON.stringify(args), 'gen_ai.tool.call.result': result };
}

function partsOf(message: ChatMessage): object[] {
  if (message.role === 'tool') return [{ type: 'tool_call_response', id: message.callId, response: message.text }];
  const text = message.text === '' ? [] : [{ type: 'text', content: message.text }];
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return [...text, ...calls.map(({ id, name, arguments: args }) => ({ type: 'tool_call', id, name, arguments: args }))];
}
