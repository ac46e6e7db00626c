import type { Counter, Gauge, Histogram } from 'prom-client';
import type { LabelBound, Labels } from './label-bound.js';

/** A counter with labels, each of which has a bounded number of values. */
export class LabelledCounter<T extends string> {
  constructor(
    private readonly counter: Counter<T>,
    private readonly bound: LabelBound,
  ) {}

  /** From 0: a series that begins with its first event hides that event from `increase`. */
  begin(...known: readonly Labels<T>[]): void {
    for (const labels of known) this.inc(labels, 0);
  }

  inc(labels: Labels<T>, by = 1): void {
    this.counter.inc(this.bound.of(labels), by);
  }
}

export class LabelledGauge<T extends string> {
  constructor(
    private readonly gauge: Gauge<T>,
    private readonly bound: LabelBound,
  ) {}

  set(labels: Labels<T>, value: number): void {
    this.gauge.set(this.bound.of(labels), value);
  }
}

export class LabelledHistogram<T extends string> {
  constructor(
    private readonly histogram: Histogram<T>,
    private readonly bound: LabelBound,
  ) {}

  observe(labels: Labels<T>, value: number): void {
    this.histogram.observe(this.bound.of(labels), value);
  }
}
