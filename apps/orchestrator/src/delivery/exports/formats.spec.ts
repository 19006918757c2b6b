// SPDX-License-Identifier: Apache-2.0
import {
  AUTONOMY_MODES,
  logIdOf,
  predicateTypeOf,
  RECORD_KINDS,
  TX_OUTCOMES,
  VERDICTS,
  type AuditRecord,
  type TenantId,
} from '@writ/contract';
import { encodeBase64 } from '@writ/signing';
import fc from 'fast-check';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { cloudEventOf } from './cloud-event.ts';
import { readExported, type ExportedRecord } from './exported-record.ts';
import { ocsfEventOf } from './ocsf-event.ts';

const body = '01kdvq8qfwe9gr4v9m1h7e3x2z';
const tenant_id = `ten_${body}` as TenantId;
const hash = (digit: string): string => digit.repeat(64);
const CALL: AuditRecord = {
  v: 1,
  record_id: `rec_${body}`,
  kind: 'tool_call',
  log_id: logIdOf(tenant_id),
  tenant_id,
  kernel_key_id: 'k',
  recorded_at: 1_767_225_600_123,
  operation_id: `op_${body}`,
  attempt: 1,
  phase: 'outcome',
  verdict: 'admitted',
  rule_ids: ['baseline.write'],
  fault_code: null,
  approval_refs: [],
  agent_id: `agt_${body}`,
  capability_token_id: `cap_${body}`,
  tool_id: 'fs.write',
  tool_definition_digest: hash('1'),
  args_hash: hash('2'),
  result_hash: hash('3'),
  policy_hash: hash('4'),
  state_snapshot_id: `snap_${hash('5')}`,
  new_snapshot_id: `snap_${hash('6')}`,
  commit_delta_id: `delta_${hash('7')}`,
  workspace_id: `wsp_${body}`,
  provenance: { source: 'api', session_id: 's1' },
  task_class: 'general',
  autonomy_mode: 'autopilot',
  risk_score: 0.125,
  risk_basis: [],
  tx_outcome: 'committed',
  budget_delta: null,
  decision_record_id: `rec_${body}`,
  decision_hash: hash('8'),
  effect_digest: hash('9'),
  egress_count: 0,
  egress_hash: null,
  image_digest: null,
  actor: null,
  change: null,
  trace_id: null,
  span_id: null,
};
const exported = (over: Partial<AuditRecord> = {}, leafIndex = 7): ExportedRecord => {
  const record = { ...CALL, ...over };
  return {
    leafIndex,
    record,
    statement: {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [],
      predicateType: predicateTypeOf(record.kind),
      predicate: record,
    },
  };
};
const ocsf = (over: Partial<AuditRecord> = {}): Record<string, unknown> =>
  ocsfEventOf(exported(over)) as Record<string, unknown>;

/** Records of every kind, verdict and outcome, whether or not the kernel would make them. */
const records = fc.record({
  kind: fc.constantFrom(...RECORD_KINDS),
  phase: fc.constantFrom('decision' as const, 'outcome' as const, null),
  verdict: fc.constantFrom(...VERDICTS, null),
  tx_outcome: fc.constantFrom(...TX_OUTCOMES, null),
  autonomy_mode: fc.constantFrom(...AUTONOMY_MODES, null),
  tool_id: fc.constantFrom('fs.read', 'shell.run', 'of.a.tenant', null),
  operation_id: fc.constantFrom(CALL.operation_id, null),
  actor: fc.constantFrom('kernel', `key_${body}`, null),
  agent_id: fc.constantFrom(CALL.agent_id, null),
  fault_code: fc.constantFrom('policy.denied', null),
  workspace_id: fc.constantFrom(CALL.workspace_id, null),
  change: fc.constantFrom(
    { verb: 'approve', subject: 'apr_x', digest: null },
    { verb: 'token_issued', subject: 'cap_x', digest: null },
    { verb: 'something_new', subject: 'x', digest: null },
    null,
  ),
  // RFC 3339 has years of four digits.
  recorded_at: fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }),
});

/**
 * The requirements of CloudEvents 1.0.2 on an event in JSON, by its own JSON schema (formats/cloudevents.json) and the
 * rule for names of attributes (spec.md, "Naming conventions").
 */
const EVENT = Compile(
  Type.Object({
    specversion: Type.Literal('1.0'),
    id: Type.String({ minLength: 1 }),
    source: Type.String({ minLength: 1, format: 'uri-reference' }),
    type: Type.String({ minLength: 1 }),
    subject: Type.Optional(Type.String({ minLength: 1 })),
    time: Type.Optional(Type.String({ minLength: 1, format: 'date-time' })),
    datacontenttype: Type.Optional(Type.String({ minLength: 1 })),
    dataschema: Type.Optional(Type.String({ minLength: 1, format: 'uri' })),
    data: Type.Optional(Type.Unknown()),
  }),
);
const ATTRIBUTE = /^[a-z0-9]{1,20}$/;

/**
 * What OCSF 1.4.0 requires of API Activity: events/base_event.json, events/application/api_activity.json,
 * objects/{metadata,product,actor,api,request,service,user,network_endpoint,session,resource_details}.json.
 */
const Name = Type.String({ minLength: 1 });
const ids = (...values: number[]) => Type.Union(values.map((value) => Type.Literal(value)));
const ACTIVITY = Compile(
  Type.Object({
    activity_id: ids(0, 1, 2, 3, 4, 99),
    category_uid: Type.Literal(6),
    class_uid: Type.Literal(6003),
    type_uid: ids(600300, 600301, 600302, 600303, 600304, 600399),
    severity_id: ids(0, 1, 2, 3, 4, 5, 6, 99),
    time: Type.Integer(),
    status_id: ids(0, 1, 2, 99),
    action_id: Type.Optional(ids(0, 1, 2, 3, 4, 99)),
    disposition_id: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 27 }), Type.Literal(99)])),
    metadata: Type.Object({
      version: Type.Literal('1.4.0'),
      uid: Name,
      product: Type.Object({ name: Name }),
      profiles: Type.Array(Type.Literal('security_control')),
      sequence: Type.Integer(),
    }),
    actor: Type.Union([
      Type.Object({ app_uid: Name }),
      Type.Object({ user: Type.Object({ uid: Name }) }),
      Type.Object({ session: Type.Object({ uid: Name }) }),
    ]),
    api: Type.Object({ operation: Name, request: Type.Object({ uid: Name }), service: Type.Object({ name: Name }) }),
    src_endpoint: Type.Object({ svc_name: Name }),
  }),
);

describe('a record as a CloudEvent', () => {
  it('has the attributes of the standard, and the statement as it was signed', () => {
    const event = cloudEventOf(exported());
    expect(event).toEqual({
      specversion: '1.0',
      id: CALL.record_id,
      source: `urn:writ:log:log_${body}`,
      type: 'dev.writ.record.tool_call.outcome.v1',
      subject: CALL.operation_id,
      time: '2026-01-01T00:00:00.123Z',
      datacontenttype: 'application/vnd.in-toto+json',
      sequence: '0000000000000007',
      data: exported().statement,
    });
  });

  it('matches the schema for any record', () => {
    fc.assert(
      fc.property(records, (over) => {
        const event = cloudEventOf(exported(over));
        expect(EVENT.Errors(event)).toEqual([]);
        for (const name of Object.keys(event)) expect(name).toMatch(ATTRIBUTE);
      }),
    );
  });

  it('sorts as text in the order of the log', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
        expect(cloudEventOf(exported({}, one)).sequence < cloudEventOf(exported({}, other)).sequence).toBe(one < other);
      }),
    );
  });
});

describe('a record as an OCSF event', () => {
  it('matches the class API Activity for any record', () => {
    fc.assert(
      fc.property(records, (over) => {
        const event = ocsf(over);
        expect(ACTIVITY.Errors(event)).toEqual([]);
        expect(event['type_uid']).toBe(600_300 + (event['activity_id'] as number));
        expect(event['activity_name']).toEqual(expect.any(String));
      }),
    );
  });

  it('loses nothing of the record', () => {
    fc.assert(
      fc.property(records, (over) => {
        const { record } = exported(over);
        const text = JSON.stringify(ocsfEventOf(exported(over)));
        for (const [name, value] of Object.entries(record)) {
          if (name === 'v' || value === null || (Array.isArray(value) && value.length === 0)) continue;
          expect([name, text.includes(JSON.stringify(value))]).toEqual([name, true]);
        }
      }),
    );
  });

  it.each<[Partial<AuditRecord>, object]>([
    [
      { phase: 'decision', verdict: 'admitted', tx_outcome: null },
      { status_id: 1, status: 'Success', severity_id: 1, action_id: 1, disposition_id: 1, disposition: 'Allowed' },
    ],
    [
      { phase: 'decision', verdict: 'refused', tx_outcome: null, fault_code: 'policy.denied' },
      {
        status_id: 2,
        status_code: 'policy.denied',
        severity_id: 3,
        action_id: 2,
        action: 'Denied',
        disposition_id: 2,
        disposition: 'Blocked',
      },
    ],
    [
      { phase: 'decision', verdict: 'held', tx_outcome: null },
      { status_id: 99, status: 'held', severity_id: 2, action_id: 0, disposition_id: 14, disposition: 'Delayed' },
    ],
    // A call that is refused at once has its outcome in its decision.
    [
      { phase: 'decision', verdict: 'refused', tx_outcome: 'no_op', fault_code: 'token.tool' },
      { status_id: 2, severity_id: 3, action_id: 2, disposition_id: 2 },
    ],
    [
      { verdict: 'refused', tx_outcome: 'no_op', fault_code: 'approval.denied' },
      { status_id: 2, action_id: 2, disposition_id: 2 },
    ],
    [
      { verdict: null, tx_outcome: 'no_op', fault_code: 'command.failed' },
      { status_id: 2, action_id: 1, disposition_id: 27 },
    ],
    [
      { verdict: null, tx_outcome: 'committed' },
      { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 1 },
    ],
    [{ tx_outcome: 'no_op' }, { status_id: 1, action_id: 1, disposition_id: 16, disposition: 'No Action' }],
    [
      { tx_outcome: 'rolled_back', fault_code: 'command.failed' },
      {
        status_id: 2,
        severity_id: 2,
        action_id: 1,
        disposition_id: 27,
        disposition: 'Error',
        status_code: 'command.failed',
      },
    ],
    [{ tx_outcome: 'ambiguous' }, { status_id: 0, status: 'Unknown', severity_id: 4, disposition_id: 0 }],
    [
      { kind: 'resolution', tx_outcome: 'rolled_back', phase: null, actor: `key_${body}` },
      { status_id: 2, disposition_id: 27 },
    ],
    [
      {
        kind: 'approval',
        phase: null,
        tx_outcome: null,
        verdict: null,
        change: { verb: 'approve', subject: 'apr_x', digest: null },
      },
      { status_id: 1, action_id: 1, disposition_id: 8, disposition: 'Approved' },
    ],
    [
      {
        kind: 'approval',
        phase: null,
        tx_outcome: null,
        verdict: null,
        change: { verb: 'deny', subject: 'apr_x', digest: null },
      },
      { status_id: 1, action_id: 2, disposition_id: 25, disposition: 'Rejected' },
    ],
    [
      {
        kind: 'token',
        phase: null,
        tx_outcome: null,
        verdict: null,
        tool_id: null,
        change: { verb: 'token_issued', subject: 'cap_x', digest: null },
      },
      { activity_id: 1, activity_name: 'Create', type_uid: 600_301, status_id: 1 },
    ],
    [
      {
        kind: 'token',
        phase: null,
        tx_outcome: null,
        verdict: null,
        tool_id: null,
        change: { verb: 'token_revoked', subject: 'cap_x', digest: null },
      },
      { activity_id: 4, api: expect.objectContaining({ operation: 'token.token_revoked' }) },
    ],
    [
      {
        kind: 'change',
        phase: null,
        tx_outcome: null,
        verdict: null,
        tool_id: 'shell.run',
        change: { verb: 'previewed', subject: 'op_x', digest: null },
      },
      { activity_id: 99, activity_name: 'change.previewed', status_id: 1 },
    ],
    [{ tool_id: 'fs.read' }, { activity_id: 2, activity_name: 'Read' }],
    [{ tool_id: 'shell.run' }, { activity_id: 99, activity_name: 'shell.run', type_uid: 600_399 }],
  ])('tells of %j as the table says', (over, said) => {
    expect(ocsf(over)).toMatchObject(said);
  });

  it('has no action where no access was controlled', () => {
    const event = ocsf({
      kind: 'change',
      phase: null,
      verdict: null,
      tx_outcome: null,
      tool_id: null,
      change: { verb: 'freeze_placed', subject: 'frz_x', digest: null },
    });
    expect([event['action_id'], event['disposition_id']]).toEqual([undefined, undefined]);
  });

  it('names its actor: the agent, the API key or the kernel', () => {
    expect(ocsf()['actor']).toEqual({ app_uid: CALL.agent_id, session: { uid: 's1' } });
    expect(ocsf({ agent_id: null, provenance: {}, actor: `key_${body}` })['actor']).toEqual({
      user: { uid: `key_${body}`, type_id: 99, type: 'API key' },
    });
    expect(ocsf({ agent_id: null, provenance: {} })['actor']).toEqual({
      user: { uid: 'kernel', type_id: 3, type: 'System' },
    });
  });
});

test('a leaf that is no record breaks an export off', () => {
  for (const text of ['', '{}', JSON.stringify({ predicateType: 'x', predicate: { v: 1 } })]) {
    expect(() =>
      readExported({
        leaf_index: 3,
        hashes: [],
        envelope: { payloadType: 'x', payload: encodeBase64(Buffer.from(text)), signatures: [] },
      }),
    ).toThrow(expect.objectContaining({ code: 'internal' }));
  }
});
