// SPDX-License-Identifier: Apache-2.0
import type { Process } from '@writ/contract';
import type { BoundName } from './bounds.ts';

/** The OpenTelemetry kinds of instruments that Writ uses. The observed ones are read when metrics are collected. */
export type InstrumentKind =
  'counter' | 'histogram' | 'observableCounter' | 'observableUpDownCounter' | 'observableGauge';

/** A label whose values are listed in the table. */
export interface ClosedLabel {
  readonly values: readonly string[];
  /** the label may be absent */
  readonly optional?: true;
}

/** A label whose values come from elsewhere, within a bound. */
export interface BoundLabel {
  readonly bound: BoundName;
  /** the label may be absent */
  readonly optional?: true;
}

export type Label = ClosedLabel | BoundLabel;

/** One row of the table, which fully describes an instrument. */
export interface InstrumentRow {
  readonly kind: InstrumentKind;
  /** UCUM, as OpenTelemetry uses it: `s`, `By`, `1`, or a counted thing in braces */
  readonly unit: string;
  readonly description: string;
  readonly labels: Readonly<Record<string, Label>>;
  /** the processes that report it */
  readonly processes: readonly Process[];
  /** upper bounds of a histogram's buckets; absent: `SECONDS` */
  readonly buckets?: readonly number[];
  /**
   * `process`: each process counts its own, so the total is the sum over processes. `shared`: each process reads the
   * same from the database, so the total is the maximum.
   */
  readonly scope: 'process' | 'shared';
}

/** A file of the table: rows by OpenTelemetry's names. */
export type InstrumentRows = Readonly<Record<string, InstrumentRow>>;

/** Replaces all values of a label beyond its bound. */
export const OTHER = 'other';
