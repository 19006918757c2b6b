// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';
import { BOUNDS } from './bounds.ts';
import { prometheusLabel, prometheusName } from './prometheus-name.ts';
import type { InstrumentRow } from './row.ts';
import { INSTRUMENT_AREAS, INSTRUMENTS } from './table.ts';

const ROWS = Object.entries<InstrumentRow>(INSTRUMENTS);

test('no name occurs in two areas, and no two names become the same in Prometheus', () => {
  expect(Object.values(INSTRUMENT_AREAS).flatMap((area) => Object.keys(area))).toHaveLength(ROWS.length);
  const names = ROWS.map(([name, row]) => prometheusName(name, row));
  expect(new Set(names).size).toBe(names.length);
});

test.each(ROWS)(
  '%s has a name, a unit and buckets that OpenTelemetry and Prometheus accept',
  (name, { unit, kind, buckets, description }) => {
    expect(name).toMatch(/^(?:writ|http|gen_ai|db|nodejs|v8js|process)(?:\.[a-z][a-z0-9_]*)+$/);
    expect(unit).toMatch(/^(?:s|By|1|\{[a-z]+\})$/);
    expect(prometheusName(name, { unit, kind })).toMatch(/^[a-z][a-z0-9_]*$/);
    // Prometheus would add its suffix a second time.
    expect(name).not.toMatch(/[._](?:total|count|sum|bucket)$(?<!connection\.count)/);
    if (buckets !== undefined) expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(description).toMatch(/^[^A-Z].{10,}[^.]$/);
  },
);

test('only instruments of TENANTS have a label for the tenant, and few other labels', () => {
  for (const [name, { labels }] of ROWS) {
    const bounds = Object.values(labels).flatMap((label) => ('bound' in label ? [label.bound] : []));
    expect({ name, tenant: bounds.includes('tenant') }).toEqual({ name, tenant: name.startsWith('writ.tenant.') });
    if (name.startsWith('writ.tenant.')) expect(Object.keys(labels).length).toBeLessThanOrEqual(2);
  }
});

test('no label identifies one operation, agent or path', () => {
  const labels = new Set(ROWS.flatMap(([, row]) => Object.keys(row.labels).map(prometheusLabel)));
  for (const label of labels)
    expect(label).not.toMatch(/(?:operation|agent|workspace|session|record|key)_id|path|args/);
  for (const bound of Object.values(BOUNDS)) expect(bound.most).toBeLessThanOrEqual(1_000);
});

/** Lists the production sources, in which only this folder may use OpenTelemetry's own meter. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(repositoryRoot(), folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /(?<!\.d)\.ts$/.test(entry.name) &&
        !/\/(?:node_modules|dist|generated)(?:\/|$)/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

test('instruments are made nowhere but from the table', () => {
  const made = ['apps', 'libs', 'tools', 'tests', 'bench']
    .flatMap(sourcesIn)
    .filter(
      (file) =>
        !file.endsWith('libs/telemetry/src/instruments/meter.ts') &&
        !file.endsWith('libs/telemetry/src/instruments/table.spec.ts'),
    )
    .filter((file) =>
      /\.create(?:Counter|Histogram|UpDownCounter|Gauge|Observable\w+)\(/.test(readFileSync(file, 'utf8')),
    );
  expect(made).toEqual([]);
});

test('no label is cast to another type, so the compiler checks each value against the table', () => {
  const cast = ['apps', 'libs']
    .flatMap(sourcesIn)
    .filter((file) => !/\.(?:spec|contract)\.ts$/.test(file))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      // A type alias for labels in the file would also hide a cast.
      const aliases = [...text.matchAll(/\btype (\w+) = [^;]*\bLabelsOf</g)].map(([, name = '']) => name);
      return (
        new RegExp(`\\bas (?:${['LabelsOf', 'LabelsArgument', ...aliases].join('|')})\\b`).test(text) ||
        /\.(?:add|record|observe)\([^;\n]*\{[^;\n]*\bas (?:never|any)\b/.test(text)
      );
    });
  expect(cast).toEqual([]);
});
