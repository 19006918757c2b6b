// SPDX-License-Identifier: Apache-2.0
import type { InstrumentKind, InstrumentRow } from './row.ts';

/** The names that Prometheus uses for units, as suffixes. */
const UNIT_WORDS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/**
 * The name of an instrument in Prometheus' text, without the suffix `_total` of a counter. Dots become underscores and
 * a unit becomes a suffix, as in OpenTelemetry's rules and its collector. A counted thing, in braces, is no suffix.
 */
export function familyOf(name: string, unit: string, kind: InstrumentKind): string {
  const base = name.replaceAll(/[^a-zA-Z0-9]+/g, '_');
  const word = unit === '1' && kind === 'observableGauge' ? 'ratio' : UNIT_WORDS[unit];
  return word === undefined || base.endsWith(`_${word}`) ? base : `${base}_${word}`;
}

/** The name of a label in Prometheus' text. */
export const prometheusLabel = (label: string): string => label.replaceAll(/[^a-zA-Z0-9]+/g, '_');

/** The name of an instrument in Prometheus. A histogram's series add `_bucket`, `_count` and `_sum`. */
export function prometheusName(name: string, { unit, kind }: Pick<InstrumentRow, 'unit' | 'kind'>): string {
  const family = familyOf(name, unit, kind);
  return kind === 'counter' || kind === 'observableCounter' ? `${family}_total` : family;
}
