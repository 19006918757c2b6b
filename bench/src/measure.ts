// SPDX-License-Identifier: Apache-2.0

/** What one benchmark found. Times in milliseconds, rate per second. */
export interface Metric {
  readonly n: number;
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  readonly unit: 'ms';
  readonly reference: string | null;
  readonly ratio: number | null;
}

export interface Load {
  readonly clients: number;
  /** samples over all clients, after the warm-up */
  readonly samples: number;
  /** samples that don't count, first */
  readonly warmUp: number;
  /** ends the measuring early, so that a slow machine ends too */
  readonly msMax: number;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
const quantile = (sorted: readonly number[], q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/** Takes samples with so many clients at once, each starting its next when its last has ended. An error of any sample ends it all. */
export async function measure(load: Load, sample: (client: number) => Promise<void>): Promise<Omit<Metric, 'reference' | 'ratio'>> {
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
  const seconds = (performance.now() - began) / 1_000;
  times.sort((a, b) => a - b);
  return { n: times.length, p50: round(quantile(times, 0.5)), p99: round(quantile(times, 0.99)), rate: round(times.length / seconds), unit: 'ms' };
}
