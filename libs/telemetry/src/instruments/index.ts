// SPDX-License-Identifier: Apache-2.0
export { BOUNDS, type Bound, type BoundName } from './bounds.ts';
export { SECONDS } from './buckets.ts';
export { familyOf, prometheusLabel, prometheusName } from './prometheus-name.ts';
export { Meter, type Counter, type Histogram, type Observe } from './meter.ts';
export { OTHER, type InstrumentKind, type InstrumentRow, type InstrumentRows, type Label } from './row.ts';
export {
  INSTRUMENT_AREAS,
  INSTRUMENTS,
  isOf,
  rowOf,
  type InstrumentName,
  type LabelsOf,
  type NameOf,
  type ObservedName,
} from './table.ts';
