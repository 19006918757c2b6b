// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/client/web';
import fc from 'fast-check';
import { FieldProblem, fieldsOf, grantOf } from './grant-fields.ts';

const names = fc.stringMatching(/^[a-z][a-z0-9._*-]{0,10}$/u);
const listOf = <Value>(of: fc.Arbitrary<Value>) => fc.array(of, { maxLength: 4 });
const paths = fc.oneof(
  fc.record({ path: names, read: fc.boolean(), write: fc.boolean() }).filter(({ read, write }) => read || write),
  fc.constant({ path: '', read: true, write: false }),
  fc.record({ path: names, read: fc.constant(false), write: fc.constant(false), denied: fc.constant(true as const) }),
);
const grants: fc.Arbitrary<Grant> = fc.record(
  {
    tools: listOf(names),
    fs: listOf(paths),
    net: listOf(
      fc.record(
        {
          domain: names,
          methods: fc.array(fc.constantFrom('GET', 'POST'), { minLength: 1, maxLength: 2 }),
          ports: fc.array(fc.nat(65_535), { minLength: 1, maxLength: 2 }),
        },
        { requiredKeys: ['domain', 'methods'] },
      ),
    ),
    secrets: listOf(names),
    profiles: fc.array(names, { minLength: 1, maxLength: 2 }),
    budgets: fc.record({ calls: fc.nat(), wall_ms: fc.nat() }, { requiredKeys: [] }),
    not_before: fc.nat(),
    expires_at: fc.integer({ min: 1_000_000_000_000, max: 4_000_000_000_000 }),
  },
  { requiredKeys: ['tools', 'fs', 'net', 'secrets', 'budgets', 'not_before', 'expires_at'] },
);

describe('the fields of a grant', () => {
  it('that nobody changed mean the grant itself', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        expect(grantOf(fieldsOf(grant), grant)).toEqual(grant);
      }),
    );
  });

  it.each([
    { files: 'src' },
    { files: 'x src' },
    { hosts: 'example.org' },
    { hosts: 'example.org GET 80x' },
    { hosts: 'example.org GET 80 more' },
    { until: 'soon' },
  ])('are refused where one cannot be read: %j', (part) => {
    const grant = fc.sample(grants, 1)[0]!;
    expect(() => grantOf({ ...fieldsOf(grant), ...part }, grant)).toThrow(FieldProblem);
  });

  it('are refused where a budget is no number', () => {
    const grant = fc.sample(grants, 1)[0]!;
    const fields = fieldsOf(grant);
    expect(() => grantOf({ ...fields, budgets: { ...fields.budgets, calls: '-1' } }, grant)).toThrow(FieldProblem);
  });
});
