import type { Spent } from '#contracts';
import { checkpoint } from '#kernel';
import { askModel } from '../ask-model.js';
import type { ModelProvider } from '../model-port.js';
import type { Summariser } from './context-engine.js';

/** A model as a writer of summaries. @param pay told of every question @param focus what a summary is to keep above all; '' for nothing */
export function modelSummariser(
  { provider, model, windowTokens }: { provider: ModelProvider; model: string; windowTokens: number },
  pay: (spent: Spent | undefined) => void,
  focus: string,
  signal: AbortSignal,
): Summariser {
  return {
    windowTokens,
    async ask({ system: task, text }) {
      checkpoint('turn.compacting');
      const system = focus === '' ? task : `${task}\nAbove all keep what concerns: ${focus}`;
      return askModel({ provider, model, tier: 'utility' }, { system, text }, pay, signal);
    },
  };
}
