// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, OperationView, Receipt } from '@writ/contract';
import { Type } from 'typebox';
import { expandable } from '../../edge/expansions/expansions.ts';
import { listOf, orNull } from '../../edge/requests/fields.ts';

/** An operation, with what its request expands. */
export const ExpandableOperation = expandable(
  OperationView,
  {
    result: Type.Optional(OperationView.properties.result),
    approval: Type.Optional(orNull(ApprovalView)),
    receipt: Type.Optional(orNull(Receipt)),
  },
  'null: nothing is there, or not yet, or not for you',
);

export const OperationList = listOf(ExpandableOperation);
