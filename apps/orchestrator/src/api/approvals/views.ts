// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, DelegationView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ApprovalList = listOf(ApprovalView);
export const DelegationList = listOf(DelegationView);
