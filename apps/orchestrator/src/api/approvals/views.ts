// SPDX-License-Identifier: Apache-2.0
import {
  ApprovalBrief,
  ApprovalGroup,
  ApprovalGroups,
  ApprovalView,
  DelegationView,
  OperationView,
  PastDecision,
  PastDecisions,
} from '@writ/contract';
import { Type } from 'typebox';
import { expandable } from '../../edge/expansions/expansions.ts';
import { listOf, orNull } from '../../edge/requests/fields.ts';

/** An approval, with what its request expands. */
export const ExpandableApproval = expandable(ApprovalView, { operation: Type.Optional(orNull(OperationView)) });

export const ApprovalList = listOf(ExpandableApproval);
export const ApprovalBriefList = listOf(ApprovalBrief);
export const DelegationList = listOf(DelegationView);

/** What people work through a queue with: rows in brief, groups of alike calls, and how others were decided. */
export const APPROVAL_QUEUE_SCHEMAS = {
  ApprovalBrief,
  ApprovalBriefList,
  ApprovalGroup,
  ApprovalGroups,
  PastDecision,
  PastDecisions,
};
