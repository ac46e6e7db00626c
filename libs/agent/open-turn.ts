import type { Tier } from '#contracts';
import { TerminalError } from '#kernel';
import { Hooks } from './hooks/hooks.js';
import { LoopGuard } from './loops/loop-guard.js';
import type { ModelProvider } from './model-port.js';
import { ReusableResults } from './reusable-results.js';
import { idsOf, type RunningTurn } from './running-turn.js';
import { Steering } from './steering.js';
import { TurnJournal } from './turn-journal.js';
import type { Step } from './turn-port.js';
import { TurnProgress } from './turn-progress.js';
import { TurnRefused, type TurnDeps, type TurnInput, type WholeTurnInput } from './turn-types.js';
import { openContext } from './turn-window.js';

const NO_LOOP_DETECTION = { enabled: false, warnAt: 0, blockAt: 0, unknownToolAt: 0, breakerAt: 0 };

/**
 * Begins an attempt: asks the hooks about model and prompt, and fills in what was left open. Throws TurnRefused when
 * before_agent_start refuses a turn that has no answer yet.
 */
export async function openTurn(given: TurnInput, deps: TurnDeps, signal: AbortSignal): Promise<RunningTurn> {
  const { hooks = new Hooks() } = deps;
  await mayStart(given, hooks, signal);
  const { provider, model, tier } = await chooseModel(given, deps, hooks, signal);
  const { system, tools } = await buildPrompt(given, hooks, signal);
  const opened = open({ ...given, model, system, tools }, { ...deps, provider, hooks }, signal, tier);
  await opened.context.ingest();
  return opened;
}

/** Begins an attempt in which no model is asked, so neither are the hooks of models and prompts. Throws TurnRefused as openTurn does. */
export async function openCall(given: TurnInput, deps: TurnDeps, signal: AbortSignal): Promise<RunningTurn> {
  await mayStart(given, deps.hooks ?? new Hooks(), signal);
  return open(given, deps, signal, 'main');
}

function open(given: TurnInput, deps: TurnDeps, signal: AbortSignal, tier: Tier): RunningTurn {
  const { hooks = new Hooks(), progress = new TurnProgress(given.journal) } = deps;
  const journal = new TurnJournal(given.journal);
  const input = filledIn(given);
  const emit = hooks.has('message_sending') ? withoutDeltas(deps.emit) : deps.emit;
  const loops = new LoopGuard(input.loopDetection, input.tools);
  const reusable = new ReusableResults();
  const steering = new Steering(given, deps, journal, signal);
  const step: Step = async (entries) => {
    const reply = await deps.step(entries);
    steering.heard(reply.joins);
    return reply;
  };
  const parts = { journal, progress, hooks, loops, reusable, steering, signal };
  const opened = { input, tier, deps: { ...deps, emit, step }, ...parts };
  return { ...opened, context: openContext(opened) };
}

function filledIn(given: TurnInput): WholeTurnInput {
  const {
    summary = '',
    cancelled = false,
    narration = true,
    verbose = false,
    showReasoning = false,
    maxSteps = 30,
    toolFailureLimit = 5,
    allowed = () => () => true,
  } = given;
  const { joined = new Map(), loopDetection = NO_LOOP_DETECTION, maxTokens = 0, maxCost = 0, prices = {} } = given;
  return {
    ...given,
    summary,
    joined,
    cancelled,
    narration,
    verbose,
    showReasoning,
    maxSteps,
    toolFailureLimit,
    allowed,
    loopDetection,
    maxTokens,
    maxCost,
    prices,
  };
}

async function mayStart(given: TurnInput, hooks: Hooks, signal: AbortSignal): Promise<void> {
  if (given.journal.some((entry) => entry.k === 'answer' && entry.step === 1)) return;
  const verdict = await hooks.gate('before_agent_start', { ...promptOf(given), system: given.system }, signal);
  if (verdict.kind === 'refused') throw new TurnRefused(verdict.reason);
}

interface ChosenModel {
  provider: ModelProvider;
  model: string;
  tier: Tier;
}

/** A hook that names a model there is none of changes nothing, like every modify hook that fails. */
async function chooseModel(given: TurnInput, deps: TurnDeps, hooks: Hooks, signal: AbortSignal): Promise<ChosenModel> {
  const configured = { provider: deps.provider, model: given.model, tier: 'main' as const };
  const asked = { ...promptOf(given), provider: deps.provider.id, model: given.model, tier: configured.tier };
  const { provider, model, tier } = await hooks.modify('before_model_resolve', asked, signal);
  if (!deps.resolveModel || (provider === asked.provider && model === asked.model))
    return { ...configured, ...(tier === 'utility' && deps.context?.utilityModel), tier };
  try {
    return { ...deps.resolveModel(`${provider}/${model}`), tier };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    hooks.onFailure('before_model_resolve', error, asked);
    return configured;
  }
}

async function buildPrompt(given: TurnInput, hooks: Hooks, signal: AbortSignal): Promise<Pick<TurnInput, 'system' | 'tools'>> {
  const offered = given.tools.map(({ name }) => name);
  const asked = { ...promptOf(given), system: given.system, tools: offered };
  const { system, tools } = await hooks.modify('before_prompt_build', asked, signal);
  return { system, tools: given.tools.filter(({ name }) => tools.includes(name)) };
}

function promptOf(given: TurnInput) {
  return { ...idsOf({ input: given }), prompt: given.user.map(({ text }) => text) };
}

/** What was shown cannot be taken back, so nothing is shown before message_sending was asked. */
function withoutDeltas(emit: TurnDeps['emit']): TurnDeps['emit'] {
  return (event) => {
    if (event.type !== 'text.delta') emit(event);
  };
}
