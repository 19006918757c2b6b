// SPDX-License-Identifier: Apache-2.0
import { Fault, type AppendReply } from '@writ/contract';
import type { Meter } from '@writ/telemetry';

/** Measures a batch of records and its answer. */
export type AppendWatch = <T extends Pick<AppendReply, 'appended'>>(
  records: number,
  append: () => Promise<T>,
) => Promise<T>;

/** Receives the answers of witnesses. */
export type WitnessWatch = (witness: string, answer: 'cosigned' | 'conflict' | 'fork' | 'silent') => void;

/** Counts and times batches of records. */
export function watchAppends(meter: Meter): AppendWatch {
  const [records, seconds, sizes] = [
    meter.counter('writ.ledger.records'),
    meter.histogram('writ.ledger.append.duration'),
    meter.histogram('writ.ledger.append.records'),
  ];
  return async (count, append) => {
    const began = performance.now();
    let outcome = 'ok';
    sizes.record(count);
    try {
      const reply = await append();
      const appended = reply.appended.filter(({ fault }) => fault === null).length;
      records.add(appended, { result: 'appended' });
      records.add(reply.appended.length - appended, { result: 'refused' });
      return reply;
    } catch (error) {
      outcome = error instanceof Fault ? error.code : 'internal';
      throw error;
    } finally {
      seconds.record((performance.now() - began) / 1_000, { outcome });
    }
  };
}

/** Counts answers of witnesses. */
export function watchWitnesses(meter: Meter): WitnessWatch {
  const answers = meter.counter('writ.ledger.witness.answers');
  return (witness, answer) => {
    answers.add(1, { witness, answer });
  };
}

/**
 * Reports the progress of signatures and of the record index as gauges. Times are in milliseconds by
 * `performance.now()`.
 */
export function watchProgress(
  meter: Meter,
  {
    signedAt,
    unindexed,
  }: {
    readonly signedAt: () => number;
    readonly unindexed: { readonly size: number; readonly oldestAt: number | null };
  },
): void {
  meter.observe(['writ.ledger.checkpoint.age', 'writ.ledger.index.logs', 'writ.ledger.index.lag'], (observe) => {
    const now = performance.now();
    observe('writ.ledger.checkpoint.age', Math.max(0, now - signedAt()) / 1_000);
    observe('writ.ledger.index.logs', unindexed.size);
    observe('writ.ledger.index.lag', unindexed.oldestAt === null ? 0 : Math.max(0, now - unindexed.oldestAt) / 1_000);
  });
}
