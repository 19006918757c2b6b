// SPDX-License-Identifier: Apache-2.0
//
// The mapping of each verdict, outcome and change to OCSF 1.4.0 (https://schema.ocsf.io/1.4.0): class API Activity,
// with the profile Security Control. It is pure data, so that authors of SIEM rules can read the values to match; the
// guide on exports has the same tables.
import { TOOLS, type AuditRecord, type TxOutcome, type VerdictName } from '@writ/contract';

export const OCSF_VERSION = '1.4.0';
export const API_ACTIVITY = {
  class_uid: 6003,
  class_name: 'API Activity',
  category_uid: 6,
  category_name: 'Application Activity',
} as const;

/** Attribute `activity_id` of API Activity. */
export const ACTIVITIES = { 1: 'Create', 2: 'Read', 3: 'Update', 4: 'Delete', 99: 'Other' } as const;
export type ActivityId = keyof typeof ACTIVITIES;
export const STATUSES = { 0: 'Unknown', 1: 'Success', 2: 'Failure', 99: 'Other' } as const;
export const SEVERITIES = { 1: 'Informational', 2: 'Low', 3: 'Medium', 4: 'High' } as const;
export const ACTIONS = { 0: 'Unknown', 1: 'Allowed', 2: 'Denied' } as const;
export const DISPOSITIONS = {
  0: 'Unknown',
  1: 'Allowed',
  2: 'Blocked',
  8: 'Approved',
  14: 'Delayed',
  16: 'No Action',
  25: 'Rejected',
  27: 'Error',
} as const;

/** The result of a record in OCSF's terms, without action and disposition where no access was controlled. */
export interface OcsfStatus {
  readonly status_id: keyof typeof STATUSES;
  readonly severity_id: keyof typeof SEVERITIES;
  readonly action_id?: keyof typeof ACTIONS;
  readonly disposition_id?: keyof typeof DISPOSITIONS;
}

/** For decisions. A held call is neither allowed nor denied yet. */
export const VERDICT_STATUSES: Readonly<Record<VerdictName, OcsfStatus>> = {
  admitted: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 1 },
  refused: { status_id: 2, severity_id: 3, action_id: 2, disposition_id: 2 },
  held: { status_id: 99, severity_id: 2, action_id: 0, disposition_id: 14 },
};

/** For outcomes and resolutions. `ambiguous`: an external effect may have happened, and nobody can confirm it. */
export const OUTCOME_MAPPING: Readonly<Record<TxOutcome, OcsfStatus>> = {
  committed: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 1 },
  no_op: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 16 },
  rolled_back: { status_id: 2, severity_id: 2, action_id: 1, disposition_id: 27 },
  ambiguous: { status_id: 0, severity_id: 4, action_id: 1, disposition_id: 0 },
};

/** For decisions of people on held calls, and for expiries; other verbs of approvals are changes. */
export const APPROVAL_STATUSES: Readonly<Record<string, OcsfStatus>> = {
  approve: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  give_once: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  give_session: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  give_stored: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  deny: { status_id: 1, severity_id: 2, action_id: 2, disposition_id: 25 },
  expire: { status_id: 1, severity_id: 2, action_id: 2, disposition_id: 25 },
};

/** For all other records, which are changes. */
export const CHANGE_STATUS: OcsfStatus = { status_id: 1, severity_id: 1 };

/** For Writ's own tools that do more than read. `Other` are tools whose record alone doesn't show what a call did. */
export const TOOL_ACTIVITIES: Readonly<Record<string, ActivityId>> = {
  'task.create': 1,
  'container.create': 1,
  'store.register': 1,
  'agent.spawn': 1,
  'email.draft': 1,
  'task.edit': 3,
  'agent.manage': 3,
  'vecdb.upsert': 3,
  'vecdb.delete': 4,
  'fs.write': 3,
  'fs.edit': 3,
  'fs.edit_files': 3,
  'shell.run': 99,
  'shell.session': 99,
  'shell.dangerous': 99,
  'mk8.run': 99,
  'net.egress': 99,
};

/** A tool that only reads is `Read`; a tenant's own tool is `Other`, with its name. */
const toolActivityOf = (toolId: string): ActivityId =>
  TOOLS.get(toolId)?.category === 'read' ? 2 : (TOOL_ACTIVITIES[toolId] ?? 99);

/** For the verbs of changes, by their ending. A verb that isn't here is `Other`, with its name. */
export const VERB_ACTIVITIES: readonly (readonly [RegExp, ActivityId])[] = [
  [/_(created|stored|issued|attenuated|placed|imported)$/, 1],
  [/_(changed|set|applied|activated|rolled_back|restored|rewrapped)$/, 3],
  [/_(revoked|removed|lifted|collected|killed|erased)$/, 4],
];

/**
 * The mapping's row for a record. A decision maps by its verdict: a refused call ends as `no_op` but is not a success.
 */
export function ocsfStatusOf({ kind, phase, verdict, tx_outcome, fault_code, change }: AuditRecord): OcsfStatus {
  if (kind === 'approval') return APPROVAL_STATUSES[change?.verb ?? ''] ?? CHANGE_STATUS;
  if (kind !== 'tool_call' && kind !== 'resolution') return CHANGE_STATUS;
  if (verdict !== null && (phase === 'decision' || tx_outcome === null || verdict === 'refused'))
    return VERDICT_STATUSES[verdict];
  if (tx_outcome === null) return CHANGE_STATUS;
  // A failed call without changes is not a success.
  return OUTCOME_MAPPING[tx_outcome === 'no_op' && fault_code !== null ? 'rolled_back' : tx_outcome];
}

/** The activity of a record. */
export function activityOf({ kind, tool_id, change }: AuditRecord): ActivityId {
  if (kind === 'tool_call' || kind === 'resolution') return toolActivityOf(tool_id ?? '');
  return VERB_ACTIVITIES.find(([ending]) => ending.test(change?.verb ?? ''))?.[1] ?? 99;
}
