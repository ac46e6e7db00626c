import type { ScalingRule } from './scaling-rule.js';

/** Kubernetes leaves the number alone while the metric is within this of what it should be. */
const TOLERANCE = 0.1;

interface Change {
  at: number;
  by: number;
}

/**
 * What KEDA and the HorizontalPodAutoscaler behind it do with one rule (Kubernetes documentation, "Horizontal Pod
 * Autoscaling": algorithm, tolerance, stabilization, policies with selectPolicy Max; KEDA: activation and cooldown).
 * Times are seconds.
 */
export class Autoscaler {
  private wanted: { at: number; replicas: number }[] = [];
  private changes: Change[] = [];
  private lastActive = 0;

  constructor(private readonly rule: ScalingRule) {}

  /** One look at the metric. @returns the replicas there shall be */
  next(at: number, replicas: number, metric: number): number {
    const next = this.decide(at, replicas, metric);
    if (next !== replicas) this.changes.push({ at, by: next - replicas });
    return next;
  }

  private decide(at: number, replicas: number, metric: number): number {
    const { activationThreshold, minReplicas, maxReplicas, cooldownS } = this.rule;
    const isActive = metric > activationThreshold;
    if (isActive) this.lastActive = at;
    if (replicas === 0) return isActive ? 1 : 0;
    if (minReplicas === 0 && at - this.lastActive >= cooldownS) return 0;
    const wanted = Math.min(maxReplicas, Math.max(1, minReplicas, this.byMetric(replicas, metric)));
    this.wanted = [...this.wanted.filter((one) => one.at > at - this.longest), { at, replicas: wanted }];
    const down = Math.max(...this.wantedWithin(at, this.rule.scaleDown.stabilizationS));
    if (down < replicas) return Math.max(down, this.mostDown(at, replicas));
    const up = Math.min(...this.wantedWithin(at, this.rule.scaleUp.stabilizationS));
    return up > replicas ? Math.min(up, this.mostUp(at, replicas)) : replicas;
  }

  private byMetric(replicas: number, metric: number): number {
    const { threshold } = this.rule;
    return Math.abs(metric / (threshold * replicas) - 1) <= TOLERANCE ? replicas : Math.ceil(metric / threshold);
  }

  private mostUp(at: number, replicas: number): number {
    const { pods, percent, periodS } = this.rule.scaleUp;
    const before = replicas - this.changed(at, periodS, 1);
    return Math.max(before + pods, Math.ceil(before * (1 + percent / 100)));
  }

  private mostDown(at: number, replicas: number): number {
    const { pods, percent, periodS } = this.rule.scaleDown;
    const before = replicas + this.changed(at, periodS, -1);
    return Math.min(before - pods, Math.floor(before * (1 - percent / 100)));
  }

  /** How many came (or went) in the last period. */
  private changed(at: number, periodS: number, sign: 1 | -1): number {
    this.changes = this.changes.filter((change) => change.at > at - this.longest);
    return this.changes
      .filter((change) => change.at > at - periodS && Math.sign(change.by) === sign)
      .reduce((sum, { by }) => sum + Math.abs(by), 0);
  }

  private wantedWithin(at: number, windowS: number): number[] {
    return this.wanted.filter((one) => one.at === at || one.at > at - windowS).map(({ replicas }) => replicas);
  }

  private get longest(): number {
    const { scaleUp, scaleDown } = this.rule;
    return Math.max(scaleUp.periodS, scaleDown.periodS, scaleUp.stabilizationS, scaleDown.stabilizationS);
  }
}
