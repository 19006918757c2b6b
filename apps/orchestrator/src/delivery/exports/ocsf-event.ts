// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import type { ExportedRecord } from './exported-record.ts';
import {
  ACTIONS,
  ACTIVITIES,
  activityOf,
  API_ACTIVITY,
  DISPOSITIONS,
  OCSF_VERSION,
  SEVERITIES,
  ocsfStatusOf,
  STATUSES,
} from './ocsf-mapping.ts';

/** The kernel's name as an actor, where it acts on a timer or a deadline. */
const KERNEL = 'kernel';
/** `type_id` of a user: `System`, and `Other` for API keys, which OCSF does not list. */
const USER_TYPES = { system: 3, other: 99 } as const;
/**
 * Members of a record that map to attributes of an event. All others go under `unmapped`, so that nothing of a record
 * is lost.
 */
const MAPPED_MEMBERS: ReadonlySet<string> = new Set([
  'v',
  'record_id',
  'log_id',
  'tenant_id',
  'recorded_at',
  'operation_id',
  'fault_code',
  'agent_id',
  'workspace_id',
  'actor',
]);

/** A record as an OCSF event of class API Activity. Times in milliseconds since the epoch. */
export function ocsfEventOf({ leafIndex, record }: ExportedRecord): Readonly<Record<string, unknown>> {
  const activity_id = activityOf(record);
  const { status_id, severity_id, action_id, disposition_id } = ocsfStatusOf(record);
  const operation = operationOf(record);
  return {
    ...API_ACTIVITY,
    activity_id,
    activity_name: activity_id === 99 ? operation : ACTIVITIES[activity_id],
    type_uid: API_ACTIVITY.class_uid * 100 + activity_id,
    time: record.recorded_at,
    severity_id,
    severity: SEVERITIES[severity_id],
    status_id,
    status: status_id === 99 ? record.verdict : STATUSES[status_id],
    ...(record.fault_code === null ? {} : { status_code: record.fault_code }),
    ...(action_id === undefined ? {} : { action_id, action: ACTIONS[action_id] }),
    ...(disposition_id === undefined ? {} : { disposition_id, disposition: DISPOSITIONS[disposition_id] }),
    message: messageOf(record, operation),
    metadata: metadataOf(record, leafIndex),
    actor: actorOf(record),
    api: { operation, service: { name: 'writ' }, request: { uid: record.operation_id ?? record.record_id } },
    // The record has no address; this names the source of the call.
    src_endpoint: { svc_name: record.provenance.source ?? 'writ' },
    ...(record.workspace_id === null ? {} : { resources: [{ uid: record.workspace_id, type: 'workspace' }] }),
    unmapped: unmappedOf(record),
  };
}

/** The tool that was called, or the change that was made, such as `token.token_issued`, `approval.deny`. */
function operationOf({ tool_id, kind, change }: AuditRecord): string {
  const isCall = kind === 'tool_call' || kind === 'resolution';
  return isCall && tool_id !== null ? tool_id : `${kind}.${change?.verb ?? 'unknown'}`;
}

function messageOf({ kind, phase, verdict, tx_outcome, change }: AuditRecord, operation: string): string {
  const result = tx_outcome ?? verdict ?? change?.subject;
  return [kind, phase, operation, result].filter((word) => word !== null && word !== undefined).join(' ');
}

const metadataOf = (
  { record_id, log_id, tenant_id, operation_id, kind, phase }: AuditRecord,
  sequence: number,
): object => ({
  version: OCSF_VERSION,
  uid: record_id,
  sequence,
  log_name: log_id,
  tenant_uid: tenant_id,
  event_code: phase === null ? kind : `${kind}.${phase}`,
  product: { name: 'Writ', vendor_name: 'Writ' },
  profiles: ['security_control'],
  ...(operation_id === null ? {} : { correlation_uid: operation_id }),
});

/**
 * The actor: an agent by its id, a person by the id of the API key, or the kernel. A record without agent and actor
 * comes from the kernel.
 */
function actorOf({ agent_id, actor, provenance }: AuditRecord): object {
  const user = actor ?? (agent_id === null ? KERNEL : null);
  return {
    ...(agent_id === null ? {} : { app_uid: agent_id }),
    ...(user === null
      ? {}
      : {
          user:
            user === KERNEL
              ? { uid: user, type_id: USER_TYPES.system, type: 'System' }
              : { uid: user, type_id: USER_TYPES.other, type: 'API key' },
        }),
    ...(provenance.session_id === undefined ? {} : { session: { uid: provenance.session_id } }),
  };
}

const hasValue = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0);

const unmappedOf = (record: AuditRecord): object =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => !MAPPED_MEMBERS.has(name) && hasValue(value)));
