// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, OperationView, Receipt } from '@writ/contract';
import { Type } from 'typebox';
import { closed, listOf, orNull } from '../../edge/requests/fields.ts';

/** An operation, with what its request expands. */
export const ExpandableOperation = Type.Object(
  {
    ...OperationView.properties,
    expanded: Type.Optional(
      Type.Object(
        {
          result: Type.Optional(OperationView.properties.result),
          approval: Type.Optional(orNull(ApprovalView)),
          receipt: Type.Optional(orNull(Receipt)),
        },
        { ...closed, description: 'what `expand` names; null: nothing is there, or not yet, or not for you' },
      ),
    ),
  },
  closed,
);

export const OperationList = listOf(ExpandableOperation);
