// SPDX-License-Identifier: Apache-2.0

/** The result of one benchmark: quantiles in its unit, and a rate per second where there is one. */
export interface Metric {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly rate: number | null;
  readonly unit: 'ms' | 'KiB' | 'MiB';
  readonly reference: string | null;
  readonly ratio: number | null;
}

export interface Load {
  readonly clients: number;
  /** samples over all clients, after the warm-up */
  readonly samples: number;
  /** samples at the start that don't count */
  readonly warmUp: number;
  /** time limit, so that a slow machine ends too */
  readonly msMax: number;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/**
 * Runs that many clients in parallel; each starts its next sample when its last has ended. An error of any sample ends
 * the measurement.
 */
export async function measure(
  load: Load,
  sample: (client: number) => Promise<void>,
): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  for (let i = 0; i < load.warmUp; i++) await sample(i % load.clients);
  const times: number[] = [];
  let started = 0;
  const began = performance.now();
  const client = async (number: number): Promise<void> => {
    while (started < load.samples && performance.now() - began < load.msMax) {
      started += 1;
      const at = performance.now();
      await sample(number);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: load.clients }, (_, number) => client(number)));
  return summarise(times, performance.now() - began);
}

/** Quantiles and rate of the samples, in milliseconds. */
export function summarise(times: readonly number[], ms: number): Omit<Metric, 'reference' | 'ratio'> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q: number): number => round(quantile(sorted, q));
  return {
    n: sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    rate: round((sorted.length * 1_000) / ms),
    unit: 'ms',
  };
}
