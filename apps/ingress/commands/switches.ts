import type { Switch } from './switch.command.js';

export const SWITCHES: readonly Switch[] = [
  {
    name: 'verbose',
    words: { on: { verbose: true }, off: { verbose: null } },
    says: ({ verbose }) => (verbose ? 'The tools a turn calls are shown.' : 'The tools a turn calls are not shown.'),
  },
  {
    name: 'send',
    words: { on: { send: null }, off: { send: false } },
    says: ({ send }) => (send === false ? 'Answers are kept and not sent until /send on.' : 'Answers are sent.'),
  },
  {
    name: 'activation',
    words: { mention: { activation: 'mention' }, always: { activation: 'always' }, default: { activation: null } },
    says: ({ activation }) => `In groups I answer: ${ACTIVATIONS[activation ?? 'default']}.`,
  },
  {
    name: 'reasoning',
    words: { on: { reasoning: true }, off: { reasoning: null } },
    says: ({ reasoning }) =>
      reasoning ? 'What the model thinks is shown, where it says so.' : 'What the model thinks is not shown.',
  },
];

const ACTIVATIONS = { mention: 'when I am mentioned', always: 'every message', default: 'as configured' };
