import type { LimitsConfig } from '#config';
import type { BenchTenant } from './bench-tenants.js';
import type { Percentiles } from './percentiles.js';
import type { TurnShape } from './turn-shape.js';

/** One message of a workload: the n-th of the run, to one session. */
export interface Item {
  n: number;
  session: number;
  /** Of its turn; plain when left out. */
  shape?: TurnShape;
  /** Whose; the default tenant's when left out. */
  tenant?: BenchTenant;
  /** Somebody reads the events of its turn. */
  watched?: boolean;
}

export interface SendOrder {
  items: Item[];
  /** Most of them under way at once. */
  inFlight: number;
  /** An open loop at this rate; as fast as `inFlight` allows when left out. */
  perSecond?: number;
}

/** What a process has used since it started. */
export interface Usage {
  /** User and system time of all its threads, µs. */
  cpuUs: number;
  /** Commands written to Redis. */
  sent: number;
  /** See RedisMeter. */
  roundTrips: number;
}

/** When message `n` came to a named place, ms by the monotonic clock of the host. */
export interface Mark {
  place: 'accept' | 'accepted' | 'model' | 'answer' | 'channel';
  n: number;
  at: number;
}

/** What main asks its processes over IPC. A process answers those it can. */
export interface Questions {
  usage: { input: null; output: Usage };
  /** How late timers are, ms, since the last time it was asked; the first time, from then on. */
  loopLag: { input: null; output: Percentiles };
  /** How many messages came to their end in it. */
  handled: { input: null; output: number };
  /** All marks since the last time it was asked. */
  marks: { input: null; output: Mark[] };
  /** Closed: whatever comes to the model, to the channel or to a raw worker waits there. */
  gate: { input: 'open' | 'closed'; output: null };
  /** Where ingress listens. */
  url: { input: null; output: string };
  /** Cancels what runs in the session of an item, with the hint. Answers when it was asked to, ms by the clock of the host. */
  cancel: { input: Item; output: number };
  send: { input: SendOrder; output: null };
  /** Puts limits in force. */
  limits: { input: LimitsConfig; output: null };
}

export type Question = { [Name in keyof Questions]: { name: Name; input: Questions[Name]['input'] } }[keyof Questions];
