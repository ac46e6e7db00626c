export interface JobCount {
  queue: string;
  /** As BullMQ names them: waiting, active, delayed ... */
  state: string;
  count: number;
}

/**
 * `bullmq_job_count`, under the name BullMQ's own exporter and its dashboards use. Its type is left open: the name ends in
 * `_count`, which Prometheus keeps for histograms.
 */
export function jobCountText(counts: readonly JobCount[]): string {
  if (counts.length === 0) return '';
  const lines = counts.map(({ queue, state, count }) => `bullmq_job_count{queue="${queue}",state="${state}"} ${count}`);
  return [
    '# HELP bullmq_job_count Jobs of a BullMQ queue, over all buckets',
    '# TYPE bullmq_job_count untyped',
    ...lines,
    '',
  ].join('\n');
}
