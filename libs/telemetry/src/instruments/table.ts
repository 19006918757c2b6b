// SPDX-License-Identifier: Apache-2.0
import type { Process } from '@writ/contract';
import { APPROVALS } from './approvals.ts';
import { EDGE } from './edge.ts';
import { LEDGER } from './ledger.ts';
import { OPERATIONS } from './operations.ts';
import type { BoundLabel, ClosedLabel, InstrumentKind, InstrumentRow } from './row.ts';
import { RUNS } from './runs.ts';
import { RUNTIME } from './runtime.ts';
import { SANDBOXES } from './sandboxes.ts';
import { TENANTS } from './tenants.ts';

/** The table by areas, in the order of the reference page. */
export const INSTRUMENT_AREAS = {
  Operations: OPERATIONS,
  Approvals: APPROVALS,
  'Sandboxes and egress': SANDBOXES,
  'Ledger and outbox': LEDGER,
  'Runs of agents': RUNS,
  'API, bus and webhooks': EDGE,
  'One tenant': TENANTS,
  'Node.js, process and Postgres': RUNTIME,
} as const;

/** INVARIANT (one table): every instrument of Writ has a row here, and instruments are created only from these rows. */
export const INSTRUMENTS = {
  ...OPERATIONS,
  ...APPROVALS,
  ...SANDBOXES,
  ...LEDGER,
  ...RUNS,
  ...EDGE,
  ...TENANTS,
  ...RUNTIME,
} as const;

type Table = typeof INSTRUMENTS;
export type InstrumentName = keyof Table;

/** Names of instruments of a kind. */
export type NameOf<K extends InstrumentKind> = {
  [N in InstrumentName]: Table[N]['kind'] extends K ? N : never;
}[InstrumentName];

/** Names of instruments that are read when metrics are collected. */
export type ObservedName = NameOf<'observableCounter' | 'observableUpDownCounter' | 'observableGauge'>;

type ValueOf<L> = L extends ClosedLabel ? L['values'][number] : L extends BoundLabel ? string : never;
type OptionalKey<L> = { [K in keyof L]: L[K] extends { readonly optional: true } ? K : never }[keyof L];
type LabelsIn<L> = { readonly [K in Exclude<keyof L, OptionalKey<L>>]: ValueOf<L[K]> } & {
  readonly [K in OptionalKey<L>]?: ValueOf<L[K]> | undefined;
};

/** The labels of a recorded value: every label of its row, each with a value of the row. */
export type LabelsOf<N extends InstrumentName> = LabelsIn<Table[N]['labels']>;

/** The labels as an argument; absent where the row has none. */
export type LabelsArgument<N extends InstrumentName> = keyof Table[N]['labels'] extends never
  ? readonly []
  : readonly [labels: LabelsOf<N>];

/** Whether a process reports the instrument. */
export const isOf = (process: Process, name: InstrumentName): boolean =>
  (rowOf(name).processes as readonly Process[]).includes(process);

/** The row of a name. */
export const rowOf = (name: InstrumentName): InstrumentRow => INSTRUMENTS[name];
