/** All alike but for their weights. */
export const BENCH_TENANTS = ['default', 'hog', 'even', 'heavy'] as const;
export type BenchTenant = (typeof BENCH_TENANTS)[number];
