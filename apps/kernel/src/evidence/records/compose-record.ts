// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type AuditRecord, type UsageCounter } from '@writ/contract';
import { newId } from '@writ/nest-kit';

/**
 * The fields that every record has; the others are null, empty or zero unless given. The sealer adds `kernel_key_id`.
 */
export type RecordFields = Pick<AuditRecord, 'kind' | 'tenant_id' | 'recorded_at'> &
  Partial<
    Omit<AuditRecord, 'v' | 'log_id' | 'kernel_key_id' | 'usage_counted_by' | 'person' | 'execution' | 'redactions'>
  > & {
    /** left out of the record where it is null, and where the record has no usage that it could be about */
    readonly usage_counted_by?: UsageCounter | null;
    /** left out of the record where it is null */
    readonly person?: string | null;
    /** left out of the record where it is null */
    readonly execution?: AuditRecord['execution'] | null;
    /** left out of the record where it is null */
    readonly redactions?: AuditRecord['redactions'] | null;
  };

/** A record that lacks only the key that will sign it. */
export type UnsealedRecord = Omit<AuditRecord, 'kernel_key_id'>;

/** As many as the schema allows. Rules beyond it are cut from the record, never from the decision. */
const RULES_MAX = 64;
const RULE_CHARS_MAX = 128;
/**
 * Bytes of either list in the record. The schema bounds all other fields of a record to less than half of 16 KiB, so
 * every decision can be recorded.
 */
const RULES_BYTES_MAX = 4 * 1024;
/** of the name of the member `redactions` with its punctuation */
const MEMBER_BYTES = 16;

/**
 * A whole record: fields that aren't given are null, never absent, so that every record of a kind has the same shape.
 * Only `usage_counted_by`, `person`, `execution` and `redactions` may be absent. `recorded_at` is the database's clock
 * in milliseconds. A record_id is generated unless given.
 */
export function composeRecord({ usage_counted_by = null, ...given }: RecordFields): UnsealedRecord {
  const { person = null, execution = null, redactions = null, ...fields } = given;
  const record: UnsealedRecord = {
    v: 1,
    record_id: newId('record'),
    log_id: logIdOf(fields.tenant_id),
    operation_id: null,
    attempt: null,
    phase: null,
    verdict: null,
    rule_ids: [],
    fault_code: null,
    approval_refs: [],
    agent_id: null,
    capability_token_id: null,
    tool_id: null,
    tool_definition_digest: null,
    args_hash: null,
    result_hash: null,
    policy_hash: null,
    state_snapshot_id: null,
    new_snapshot_id: null,
    commit_delta_id: null,
    workspace_id: null,
    provenance: {},
    task_class: null,
    autonomy_mode: null,
    risk_score: null,
    risk_basis: [],
    tx_outcome: null,
    budget_delta: null,
    decision_record_id: null,
    decision_hash: null,
    effect_digest: null,
    egress_count: 0,
    egress_hash: null,
    image_digest: null,
    actor: null,
    change: null,
    trace_id: null,
    span_id: null,
    ...fields,
    ...(usage_counted_by === null || (fields.budget_delta ?? null) === null ? {} : { usage_counted_by }),
    ...unlessNull({ person, execution, redactions }),
  };
  return withBounds(record);
}

/** The members that have a value. */
const unlessNull = <T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };

/** Redactions are never cut, and have their place from that of the rules. */
function withBounds(record: UnsealedRecord): UnsealedRecord {
  const { redactions } = record;
  const taken = redactions === undefined ? 0 : Buffer.byteLength(JSON.stringify(redactions)) + MEMBER_BYTES;
  return {
    ...record,
    rule_ids: bounded(record.rule_ids, RULES_BYTES_MAX - taken),
    risk_basis: bounded(record.risk_basis, RULES_BYTES_MAX),
  };
}

function bounded(rules: readonly string[], bytesMax: number): string[] {
  let bytes = 0;
  return rules
    .slice(0, RULES_MAX)
    .map((rule) => rule.slice(0, RULE_CHARS_MAX))
    .filter((rule) => (bytes += Buffer.byteLength(JSON.stringify(rule)) + 1) <= bytesMax);
}
