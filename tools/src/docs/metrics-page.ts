// SPDX-License-Identifier: Apache-2.0
// The reference of metrics, from the table of instruments.
import {
  BOUNDS,
  INSTRUMENT_AREAS,
  prometheusLabel,
  prometheusName,
  SECONDS,
  type InstrumentRow,
  type Label,
} from '@writ/telemetry';
import { code } from './table.ts';

/** The width of a document, in columns. */
const COLUMNS = 120;

const KINDS: Readonly<Record<InstrumentRow['kind'], string>> = {
  counter: 'counter',
  histogram: 'histogram',
  observableCounter: 'counter',
  observableUpDownCounter: 'gauge',
  observableGauge: 'gauge',
};
const SCOPES: Readonly<Record<InstrumentRow['scope'], string>> = {
  process: 'each process counts its own: take the sum',
  shared: 'each process reads the same: take the maximum',
};

/** Every instrument of the table by its Prometheus name, by area. */
export function metricsReference(): string {
  return Object.entries(INSTRUMENT_AREAS)
    .flatMap(([area, rows]) => [
      `## ${area}`,
      ...Object.entries<InstrumentRow>(rows).map(([name, row]) => section(name, row)),
    ])
    .join('\n\n');
}

function section(name: string, row: InstrumentRow): string {
  const { kind, unit, description, labels, processes, scope, buckets } = row;
  return [
    `### ${code(prometheusName(name, row))}`,
    '',
    ...wrapped(`${description[0]?.toUpperCase() ?? ''}${description.slice(1)}.`, ''),
    '',
    `- OpenTelemetry: ${code(name)}, ${KINDS[kind]}, unit ${code(unit)}`,
    `- Processes: ${processes.join(', ')}; ${SCOPES[scope]}`,
    ...Object.entries(labels).flatMap(([label, values]) =>
      wrapped(`- Label ${code(prometheusLabel(label))}: ${valuesOf(values)}`, '  '),
    ),
    ...(kind === 'histogram' ? wrapped(`- Buckets: ${(buckets ?? SECONDS).join(', ')}`, '  ') : []),
  ].join('\n');
}

function valuesOf(label: Label): string {
  const values =
    'values' in label
      ? label.values.map(code).join(', ')
      : `${BOUNDS[label.bound].what}; at most ${String(BOUNDS[label.bound].most)}`;
  return label.optional === true ? `${values}, or absent` : values;
}

/** Breaks a text between words at the width of a document. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `${indent}${word}`);
  }
  return lines;
}
