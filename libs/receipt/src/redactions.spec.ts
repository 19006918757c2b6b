// SPDX-License-Identifier: Apache-2.0
import { RECORD } from './sample.contract.ts';
import { requireRecord } from './statement.ts';

const redactions = [{ rule: 'crm.email', pointers: ['/customer/email'] }];
const decision = {
  ...RECORD,
  kind: 'tool_call' as const,
  phase: 'decision' as const,
  decision_record_id: null,
  decision_hash: null,
};

test('the record of a decision says what is redacted, by rules and pointers', () => {
  expect(requireRecord({ ...decision, redactions })).toMatchObject({ redactions });
});

test.each([
  ['no decision', { ...RECORD, phase: 'outcome', redactions }],
  ['another kind', { ...decision, kind: 'policy', redactions }],
  ['no redaction', { ...decision, redactions: [] }],
  ['null', { ...decision, redactions: null }],
  ['a value', { ...decision, redactions: [{ ...redactions[0], value: 'x' }] }],
])('a record about %s with redactions is none', (_what, record) => {
  expect(() => requireRecord(record)).toThrow();
});
