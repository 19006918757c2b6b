// SPDX-License-Identifier: Apache-2.0
import type { Process } from '@writ/contract';
import type { BoundName } from './bounds.ts';

/**
 * OpenTelemetry's kinds of instruments, as far as Writ uses them. The observed ones are read when metrics are
 * collected.
 */
export type InstrumentKind =
  'counter' | 'histogram' | 'observableCounter' | 'observableUpDownCounter' | 'observableGauge';

/** A label whose values stand in the table. */
export interface ClosedLabel {
  readonly values: readonly string[];
  /** the label may be absent */
  readonly optional?: true;
}

/** A label whose values come from elsewhere and are bounded there. */
export interface BoundLabel {
  readonly bound: BoundName;
  /** the label may be absent */
  readonly optional?: true;
}

export type Label = ClosedLabel | BoundLabel;

/** One row of the table: everything that there is to say of an instrument. */
export interface InstrumentRow {
  readonly kind: InstrumentKind;
  /** UCUM, as OpenTelemetry uses it: `s`, `By`, `1`, or a thing that is counted in braces */
  readonly unit: string;
  readonly description: string;
  readonly labels: Readonly<Record<string, Label>>;
  /** the processes that have it */
  readonly processes: readonly Process[];
  /** upper bounds of a histogram's buckets; `SECONDS` unless said */
  readonly buckets?: readonly number[];
  /**
   * `process`: each process counts its own, so a sum over processes is the whole. `shared`: each process reads the same
   * from the database, so the whole is the maximum.
   */
  readonly scope: 'process' | 'shared';
}

/** A file of the table: rows by OpenTelemetry's names. */
export type InstrumentRows = Readonly<Record<string, InstrumentRow>>;

/** The value that stands for all values that a label has no room for. */
export const OTHER = 'other';
