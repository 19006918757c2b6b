// SPDX-License-Identifier: Apache-2.0
//
// What each verdict, outcome and change is in OCSF 1.4.0 (https://schema.ocsf.io/1.4.0): class API Activity, with the
// profile Security Control. Data alone, so that who writes rules for a SIEM can read what they match on; the guide on
// exports has the same tables.
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

/** What became of it, in the words of OCSF. Without action and disposition where nothing was controlled. */
export interface Standing {
  readonly status_id: keyof typeof STATUSES;
  readonly severity_id: keyof typeof SEVERITIES;
  readonly action_id?: keyof typeof ACTIONS;
  readonly disposition_id?: keyof typeof DISPOSITIONS;
}

/** Of decisions. A call that is held is neither allowed nor denied yet. */
export const OF_VERDICTS: Readonly<Record<VerdictName, Standing>> = {
  admitted: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 1 },
  refused: { status_id: 2, severity_id: 3, action_id: 2, disposition_id: 2 },
  held: { status_id: 99, severity_id: 2, action_id: 0, disposition_id: 14 },
};

/** Of outcomes and of resolutions. `ambiguous`: something began outside, and nobody knows how it ended. */
export const OF_OUTCOMES: Readonly<Record<TxOutcome, Standing>> = {
  committed: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 1 },
  no_op: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 16 },
  rolled_back: { status_id: 2, severity_id: 2, action_id: 1, disposition_id: 27 },
  ambiguous: { status_id: 0, severity_id: 4, action_id: 1, disposition_id: 0 },
};

/** Of what people, or time, said of a call that was held; other verbs of approvals are changes. */
export const OF_APPROVALS: Readonly<Record<string, Standing>> = {
  approve: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  give_once: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  give_session: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  give_stored: { status_id: 1, severity_id: 1, action_id: 1, disposition_id: 8 },
  deny: { status_id: 1, severity_id: 2, action_id: 2, disposition_id: 25 },
  expire: { status_id: 1, severity_id: 2, action_id: 2, disposition_id: 25 },
};

/** Of every other record: a change that was made. */
export const OF_CHANGES: Standing = { status_id: 1, severity_id: 1 };

/**
 * Of Writ's own tools that do more than read. `Other` are those of which the record alone doesn't tell what a call did.
 */
export const OF_TOOLS: Readonly<Record<string, ActivityId>> = {
  'task.create': 1,
  'agent.spawn': 1,
  'task.edit': 3,
  'fs.write': 3,
  'fs.edit': 3,
  'fs.edit_files': 3,
  'shell.run': 99,
  'shell.session': 99,
  'shell.dangerous': 99,
  'mk8.run': 99,
  'net.egress': 99,
};

/** A tool that only reads is `Read`; a tenant's own tool is `Other`, by its name. */
const ofTool = (toolId: string): ActivityId => (TOOLS.get(toolId)?.category === 'read' ? 2 : (OF_TOOLS[toolId] ?? 99));

/** Of the verbs of changes, by how they end; one that isn't here is `Other`, by its name. */
export const OF_VERBS: readonly (readonly [RegExp, ActivityId])[] = [
  [/_(created|stored|issued|attenuated|placed|imported)$/, 1],
  [/_(changed|set|applied|activated|rolled_back|restored|rewrapped)$/, 3],
  [/_(revoked|removed|lifted|collected|killed|erased)$/, 4],
];

/** The row of a record. A decision is told by its verdict: that a refused call ends as `no_op` makes it no success. */
export function standingOf({ kind, phase, verdict, tx_outcome, fault_code, change }: AuditRecord): Standing {
  if (kind === 'approval') return OF_APPROVALS[change?.verb ?? ''] ?? OF_CHANGES;
  if (kind !== 'tool_call' && kind !== 'resolution') return OF_CHANGES;
  if (verdict !== null && (phase === 'decision' || tx_outcome === null || verdict === 'refused'))
    return OF_VERDICTS[verdict];
  if (tx_outcome === null) return OF_CHANGES;
  // Nothing to undo is no success where something failed.
  return OF_OUTCOMES[tx_outcome === 'no_op' && fault_code !== null ? 'rolled_back' : tx_outcome];
}

/** What kind of activity the record tells of. */
export function activityOf({ kind, tool_id, change }: AuditRecord): ActivityId {
  if (kind === 'tool_call' || kind === 'resolution') return ofTool(tool_id ?? '');
  return OF_VERBS.find(([ending]) => ending.test(change?.verb ?? ''))?.[1] ?? 99;
}
