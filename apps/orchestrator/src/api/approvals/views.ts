// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, DelegationView, OperationView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, listOf, orNull } from '../../edge/requests/fields.ts';

/** An approval, with what its request expands. */
export const ExpandableApproval = Type.Object(
  {
    ...ApprovalView.properties,
    expanded: Type.Optional(
      Type.Object(
        { operation: Type.Optional(orNull(OperationView)) },
        { ...closed, description: 'what `expand` names; null: it is not there for you' },
      ),
    ),
  },
  closed,
);

export const ApprovalList = listOf(ExpandableApproval);
export const DelegationList = listOf(DelegationView);
