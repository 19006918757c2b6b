// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { newTenant, operationOf, payloadOf, type SentRecord } from '../specs/test-ledger.ts';
import { completeRecord } from '../specs/complete-record.ts';
import { indexRowOf, wordsOf } from './index-row.ts';

const tenant = newTenant();
const agent_id = formatId('agent', new Uint8Array(16));
const leafOf = (sent: SentRecord) => ({
  leaf_index: 7,
  record_id: sent.record_id,
  kind: 'tool_call',
  operation_id: operationOf(sent),
  phase: 'outcome',
  recorded_at: 1,
  payload: payloadOf(sent),
});

test("a row has the record's members and each id that the record refers to once", () => {
  const approval = formatId('approval', new Uint8Array(16));
  const sent = completeRecord(tenant, {
    agent_id,
    tool_id: 'fs.write',
    verdict: 'refused',
    tx_outcome: 'no_op',
    fault_code: 'policy.denied',
    risk_score: 0.25,
    provenance: { session_id: 's/1' },
    rule_ids: ['no-shell'],
    risk_basis: ['cmd.rm_recursive'],
    workspace_id: 'wsp_a',
    capability_token_id: 'cap_b',
    approval_refs: [approval],
    change: { verb: 'secret_set', subject: 'wsp_a', digest: null },
  });
  expect(indexRowOf(leafOf(sent))).toEqual({
    leaf_index: 7,
    record_id: sent.record_id,
    kind: 'tool_call',
    operation_id: operationOf(sent),
    phase: 'outcome',
    recorded_at: 1,
    is_drawn: true,
    agent_id,
    tool_id: 'fs.write',
    session_id: 's/1',
    verdict: 'refused',
    tx_outcome: 'no_op',
    fault_code: 'policy.denied',
    risk_score: 0.25,
    resources: [approval, 'cap_b', 'wsp_a'],
    words: 'no shell cmd rm recursive policy denied secret set',
    terms: ['cmd.rm_recursive', 'no-shell', 'policy.denied', 'secret_set'],
  });
});

test.each<[string, (sent: SentRecord) => Uint8Array]>([
  ['of a later version', () => payloadOf(completeRecord(tenant, { v: 2, agent_id }))],
  ['with an unknown member', () => payloadOf(completeRecord(tenant, { agent_id, ...{ more: 1 } }))],
  [
    'that holds NUL',
    (sent) => Buffer.from(Buffer.from(payloadOf(sent)).toString().replace('"fs.read"', '"fs\\u0000"')),
  ],
  ['that is no JSON', () => Buffer.from('{')],
  ['that is empty', () => new Uint8Array()],
])("a record %s is indexed by the log's own columns only, with is_drawn false", (_what, payload) => {
  const sent = completeRecord(tenant, { agent_id, tool_id: 'fs.read' });
  expect(indexRowOf({ ...leafOf(sent), payload: payload(sent) })).toMatchObject({
    record_id: sent.record_id,
    is_drawn: false,
    agent_id: null,
    tool_id: null,
    resources: [],
    words: '',
  });
});

test('members that are too long for the index are truncated or dropped', () => {
  const sent = completeRecord(tenant);
  expect(
    indexRowOf({
      ...leafOf(sent),
      kind: 'k'.repeat(5_000),
      phase: 'p'.repeat(5_000),
      operation_id: 'o'.repeat(5_000),
      payload: new Uint8Array(),
    }),
  ).toMatchObject({ kind: 'k'.repeat(64), phase: 'p'.repeat(64), operation_id: null });
});

test('wordsOf splits at every character that is no letter or digit', () => {
  expect(wordsOf(['policy.denied', null, 'No-Shell_7', undefined, '…'])).toBe('policy denied No Shell 7');
});
