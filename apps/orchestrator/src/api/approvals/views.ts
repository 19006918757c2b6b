// SPDX-License-Identifier: Apache-2.0
import { ApprovalBrief, ApprovalView, DelegationView, OperationView } from '@writ/contract';
import { Type } from 'typebox';
import { expandable } from '../../edge/expansions/expansions.ts';
import { listOf, orNull } from '../../edge/requests/fields.ts';

/** An approval, with what its request expands. */
export const ExpandableApproval = expandable(ApprovalView, { operation: Type.Optional(orNull(OperationView)) });

export const ApprovalList = listOf(ExpandableApproval);
export const ApprovalBriefList = listOf(ApprovalBrief);
export const DelegationList = listOf(DelegationView);
