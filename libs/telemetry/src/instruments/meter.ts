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

/** Takes sizes or times, in the unit of the row. */
export interface Histogram<N extends InstrumentName> {
  record(value: number, ...labels: LabelsArgument<N>): void;
}

/** Says what an instrument shows, once for each combination of labels. */
export type Observe<N extends ObservedName> = <M extends N>(
  name: M,
  value: number,
  ...labels: LabelsArgument<M>
) => void;

/** Combinations of labels that a counter begins with at zero. A rate needs a value before the first one. */
const ZEROS_MAX = 64;

/** INVARIANT (one table): makes instruments of rows of the table, and no others. */
export class Meter {
  readonly #otel: OtelMeter;
  readonly #guard: LabelGuard;

  /** @param bounds how many values labels may have, where a setting says so */
  constructor(otel: OtelMeter, bounds: Readonly<Partial<Record<BoundName, number>>> = {}) {
    this.#otel = otel;
    this.#guard = new LabelGuard(bounds);
  }

  /** A counter. Where all its labels are closed and few, each combination begins at zero. */
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
   * Has instruments read when metrics are collected. `look` may ask a database: it is called once for all of them.
   * Where it rejects, they show nothing this time and everything else does.
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

/** Every combination of values, where all labels are closed and the combinations few; none otherwise. */
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
