// SPDX-License-Identifier: Apache-2.0
import { CallUsageItem } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, orNull } from '../../edge/requests/fields.ts';

export const CallUsageView = Type.Object(
  {
    from: Type.String({ description: 'the first day' }),
    to: Type.String({ description: 'the day after the last one' }),
    by: Type.Array(Type.String()),
    items: Type.Array(CallUsageItem),
    next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null on the last page' })),
  },
  closed,
);
export type CallUsageView = Static<typeof CallUsageView>;
