// SPDX-License-Identifier: Apache-2.0
import { ApproverGroupView } from '@writ/contract';
import { listOf } from '../../edge/requests/fields.ts';

export const ApproverGroupList = listOf(ApproverGroupView);
