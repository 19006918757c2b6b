// SPDX-License-Identifier: Apache-2.0
//
// The in-toto Statement v1 (https://github.com/in-toto/attestation, spec v1) around a record. INVARIANT (same rules):
// sealing and verifying run the same checks, so the kernel can't sign a record that a verifier would refuse.
import { AuditRecord, Sha256Hex, logIdOf, parseMessage, predicateTypeOf } from '@writ/contract';
import type { TenantId } from '@writ/contract';
import { actionDigest } from '@writ/digest';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { demand, within } from './run-check.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** The prefix of a snapshot id, before the hash of its root. */
const SNAPSHOT_PREFIX = 'snap_';

/** The last millisecond that a Date can hold (ECMA-262 §21.4.1.1). */
const INSTANT_MAX = 8_640_000_000_000_000;

const closed = { additionalProperties: false } as const;

const Subject = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 128 }), digest: Type.Object({ sha256: Sha256Hex }, closed) },
  closed,
);

const AnyStatement = Type.Object(
  {
    _type: Type.Literal(STATEMENT_TYPE),
    subject: Type.Array(Subject, { minItems: 1, maxItems: 2 }),
    predicateType: Type.String(),
    predicate: Type.Unknown(),
  },
  closed,
);

export type Subject = Static<typeof Subject>;

export interface Statement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly Subject[];
  readonly predicateType: string;
  readonly predicate: AuditRecord;
}

/**
 * The statement of a record. Its first subject is the operation (or the record itself without one) with the action
 * digest. Its second subject is the workspace's new root if the record commits one.
 *
 * `digest` is the action digest. By default it is computed from the record, and for a tool call no other is allowed.
 *
 * @throws ReceiptError `record` or `subject` for a record that every verifier would refuse: a bug of the caller.
 */
export function statementOf(record: AuditRecord, digest: string = actionDigest(record)): Statement {
  const statement = {
    _type: STATEMENT_TYPE,
    subject: [{ name: record.operation_id ?? record.record_id, digest: { sha256: digest } }, ...newRootOf(record)],
    predicateType: predicateTypeOf(record.kind),
    predicate: record,
  } as const;
  requireRecord(record);
  requireSubjects(statement.subject, record);
  return statement;
}

/** Parses the shape of a statement without its predicate. */
export function parseStatement(value: unknown): { subject: Subject[]; predicateType: string; predicate: unknown } {
  return within('statement', () => parseMessage(AnyStatement, value));
}

/** Parses a record and checks that its fields are consistent. */
export function requireRecord(value: unknown): AuditRecord {
  const record = within('record', () => parseMessage(AuditRecord, value));
  demand(
    'record',
    record.log_id === logIdOf(record.tenant_id as TenantId),
    'the record is of another tenant than its log',
  );
  demand(
    'record',
    record.recorded_at >= 0 && record.recorded_at <= INSTANT_MAX,
    'the record was made at no possible time',
  );
  const isOutcome = record.phase === 'outcome';
  const namesDecision = record.decision_record_id !== null && record.decision_hash !== null;
  demand('record', !isOutcome || namesDecision, 'the outcome names no decision');
  demand(
    'record',
    record.usage_counted_by === undefined || record.budget_delta !== null,
    "the record says who counted a usage that it doesn't have",
  );
  demand(
    'record',
    record.execution === undefined || (record.kind === 'tool_call' && isOutcome),
    'the record says who executed a call, and is not about the outcome of one',
  );
  demand(
    'record',
    record.redactions === undefined || (record.kind === 'tool_call' && record.phase === 'decision'),
    'the record says what is redacted of a result, and is not about the decision on a call',
  );
  demand(
    'record',
    record.kind !== 'tool_call' || (record.phase !== null && record.operation_id !== null),
    'the call has no phase or operation',
  );
  return record;
}

/** Checks that the subjects are exactly those of the record. */
export function requireSubjects(subjects: readonly Subject[], record: AuditRecord): void {
  const [first, ...rest] = subjects;
  demand(
    'subject',
    first?.name === (record.operation_id ?? record.record_id),
    "the first subject is not the record's operation",
  );
  demand(
    'subject',
    record.kind !== 'tool_call' || first?.digest.sha256 === actionDigest(record),
    "the subject's digest is not that of the record's action",
  );
  const roots = newRootOf(record);
  const isSame =
    rest.length === roots.length &&
    roots.every((root, i) => root.name === rest[i]?.name && root.digest.sha256 === rest[i]?.digest.sha256);
  demand('subject', isSame, 'the second subject is not the root that the record commits');
}

/** The root that the record commits, as a subject; empty for records that commit none. */
function newRootOf({ tx_outcome, new_snapshot_id }: AuditRecord): Subject[] {
  if (tx_outcome !== 'committed' || new_snapshot_id === null) return [];
  return [{ name: new_snapshot_id, digest: { sha256: new_snapshot_id.slice(SNAPSHOT_PREFIX.length) } }];
}
