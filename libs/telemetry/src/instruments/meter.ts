// SPDX-License-Identifier: Apache-2.0
import type { Meter as OtelMeter, MetricOptions, Observable } from '@opentelemetry/api';
import { LabelGuard, type Recorded } from './label-guard.ts';
import type { BoundName } from './bounds.ts';
import { SECONDS } from './buckets.ts';
import type { InstrumentRow, Label } from './row.ts';
import { rowOf, type InstrumentName, type LabelsArgument, type NameOf, type ObservedName } from './table.ts';

/** Counts what happens. */
export interface Counter<N extends InstrumentName> {
  add(value: number, ...labels: LabelsArgument<N>): void;
}

/** Records sizes or times, in the unit of the row. */
export interface Histogram<N extends InstrumentName> {
  record(value: number, ...labels: LabelsArgument<N>): void;
}

/** Reports the value of an instrument, once for each combination of labels. */
export type Observe<N extends ObservedName> = <M extends N>(
  name: M,
  value: number,
  ...labels: LabelsArgument<M>
) => void;

/**
 * The most combinations of labels for which a counter begins at zero. A rate needs a value before the first increase.
 */
const ZEROS_MAX = 64;

/** INVARIANT (one table): creates instruments for rows of the table, and no others. */
export class Meter {
  readonly #otel: OtelMeter;
  readonly #guard: LabelGuard;

  /** @param bounds how many values labels may have, where a setting changes that */
  constructor(otel: OtelMeter, bounds: Readonly<Partial<Record<BoundName, number>>> = {}) {
    this.#otel = otel;
    this.#guard = new LabelGuard(bounds);
  }

  /** Returns a counter. Where all its labels are closed and few, each combination begins at zero. */
  counter<N extends NameOf<'counter'>>(name: N): Counter<N> {
    const row = rowOf(name);
    const counter = this.#otel.createCounter(name, optionsOf(row));
    const check = this.#guard.of(row);
    for (const labels of closedCombinations(row)) counter.add(0, labels);
    return {
      add: (value, ...[labels]) => {
        counter.add(value, check(labels ?? {}));
      },
    };
  }

  histogram<N extends NameOf<'histogram'>>(name: N): Histogram<N> {
    const row = rowOf(name);
    const histogram = this.#otel.createHistogram(name, optionsOf(row));
    const check = this.#guard.of(row);
    return {
      record: (value, ...[labels]) => {
        histogram.record(value, check(labels ?? {}));
      },
    };
  }

  /**
   * Registers instruments that are read when metrics are collected. `look` may query a database: one call serves all of
   * them. Where it rejects, these instruments report nothing this time, and all others report.
   */
  observe<N extends ObservedName>(names: readonly N[], look: (observe: Observe<N>) => void | Promise<void>): void {
    const made = new Map(
      names.map((name) => [
        name as InstrumentName,
        { instrument: this.#observable(name), check: this.#guard.of(rowOf(name)) },
      ]),
    );
    this.#otel.addBatchObservableCallback(
      async (result) => {
        await look((name, value, ...[labels]) => {
          const to = made.get(name);
          if (to !== undefined) result.observe(to.instrument, value, to.check(labels ?? {}));
        });
      },
      [...made.values()].map(({ instrument }) => instrument),
    );
  }

  #observable(name: ObservedName): Observable {
    const row = rowOf(name);
    switch (row.kind) {
      case 'observableCounter':
        return this.#otel.createObservableCounter(name, optionsOf(row));
      case 'observableUpDownCounter':
        return this.#otel.createObservableUpDownCounter(name, optionsOf(row));
      default:
        return this.#otel.createObservableGauge(name, optionsOf(row));
    }
  }
}

function optionsOf({ kind, unit, description, buckets }: InstrumentRow): MetricOptions {
  return {
    unit,
    description,
    ...(kind === 'histogram' ? { advice: { explicitBucketBoundaries: [...(buckets ?? SECONDS)] } } : {}),
  };
}

/** Every combination of values, where all labels are closed and the combinations are few; else none. */
export function closedCombinations({ labels }: Pick<InstrumentRow, 'labels'>): Recorded[] {
  let combinations: Recorded[] = [{}];
  for (const [name, label] of Object.entries(labels)) {
    if (!isClosed(label) || combinations.length * label.values.length > ZEROS_MAX) return [];
    combinations = combinations.flatMap((each) => label.values.map((value) => ({ ...each, [name]: value })));
  }
  return combinations;
}

const isClosed = (label: Label): label is Extract<Label, { readonly values: readonly string[] }> =>
  'values' in label && label.optional !== true;
