// SPDX-License-Identifier: Apache-2.0
import * as contract from './index.ts';
import { Budgets, parseMessage, Provenance, Usage, USAGE_COUNTERS } from './index.ts';

/** Every exported object schema, and every nested one, with its path. */
function objectsIn(schema: unknown, at: string): { at: string; isClosed: boolean }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, properties, additionalProperties } = schema as Record<string, unknown>;
  const here = type === 'object' && properties !== undefined ? [{ at, isClosed: additionalProperties === false }] : [];
  return [...here, ...Object.entries(schema).flatMap(([name, inner]) => objectsIn(inner, `${at}.${name}`))];
}

/** Open on purpose: it is a part of a token's view. */
const OPEN = new Set(['TokenUse']);

describe('what comes from outside', () => {
  it('may have no unknown members, such as free text in a provenance or a misspelt budget', () => {
    expect(() => parseMessage(Provenance, { note: 'free text' })).toThrow('`/note` is not known here');
    expect(() => parseMessage(Budgets, { call: 5 })).toThrow('`/call` is not known here');
    expect(parseMessage(Provenance, { source: 'api' })).toEqual({ source: 'api' });
  });

  it('names only known counters of usage', () => {
    const used = { wall_ms: 1, cpu_ms: 1, memory_peak_bytes: 1, disk_write_bytes: 1, output_bytes: 1 };
    for (const counted_by of USAGE_COUNTERS)
      expect(parseMessage(Usage, { ...used, counted_by })).toEqual({ ...used, counted_by });
    expect(parseMessage(Usage, used)).toEqual(used);
    for (const counted_by of ['job', '', null])
      expect(() => parseMessage(Usage, { ...used, counted_by })).toThrow(
        '`/counted_by` must be one of `host`, `agent`',
      );
  });

  it('is described by closed schemas everywhere', () => {
    const schemas = Object.entries(contract).filter(
      ([name, value]) => typeof value === 'object' && /^[A-Z][a-z]/.test(name) && !OPEN.has(name),
    );
    const objects = schemas.flatMap(([name, schema]) => objectsIn(schema, name));
    expect(objects.length).toBeGreaterThan(60);
    expect(objects.filter(({ isClosed }) => !isClosed)).toEqual([]);
  });
});
