// SPDX-License-Identifier: Apache-2.0
import type { Group } from '../command-group.ts';

/** The commands about approvals, in the order of the help. */
export const APPROVAL_GROUPS: readonly Group[] = [
  {
    name: 'approval',
    plural: 'approvals',
    summary: 'calls that wait for a person',
    load: async () => (await import('./approvals.ts')).approvalsCommand,
  },
  {
    name: 'approver-group',
    plural: 'approver-groups',
    summary: 'persons for whom policies reserve approvals',
    load: async () => (await import('../approver-groups/approver-groups.ts')).approverGroupCommand,
  },
];
