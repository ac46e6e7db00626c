import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
import { jsonIn } from './json-in.js';

const SYSTEM = 'Answer with one JSON value and nothing else: no prose around it, no code fence.';

/** A tool for structured side tasks: classify, extract, rate. The conversation's own model keeps its context short. */
export default defineToolPlugin({
  id: 'llm-task',
  name: 'LLM Task',
  description: 'One question to a model outside of the conversation, answered in JSON.',
  configSchema: Type.Object(
    { defaultModel: Type.Optional(Type.String({ description: 'provider/model or an alias; default: the model of the agent' })) },
    { additionalProperties: false },
  ),
  tools: (tool) => [
    tool({
      name: 'llm_task',
      description:
        'Gives a self-contained task to a model that sees nothing of this conversation, and returns its answer as JSON. Put everything it needs into prompt and input.',
      optional: true,
      effect: 'idempotent',
      parallelSafe: true,
      parameters: Type.Object({
        prompt: Type.String({ minLength: 1, description: 'What to do, and what the JSON is to look like.' }),
        input: Type.Optional(Type.Unknown({ description: 'What to do it with.' })),
        model: Type.Optional(Type.String({ description: 'provider/model; default: as configured.' })),
      }),
      async execute({ prompt, input, model }, { defaultModel }, { api, signal }) {
        const asked = input === undefined ? prompt : `${prompt}\n\nInput:\n${JSON.stringify(input)}`;
        const chosen = model ?? defaultModel;
        const completion = { system: SYSTEM, prompt: asked, ...(chosen !== undefined && { model: chosen }) };
        return jsonIn(await api.models.complete(completion, signal));
      },
    }),
  ],
});
