// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

/** A record by its leaf index in the log. */
export const RecordView = Type.Object(
  {
    leaf_index: Type.Integer({ minimum: 0 }),
    tree_size: Type.Integer({ minimum: 1, description: 'records of the log, by the checkpoint of its receipt' }),
    statement: Type.Record(Type.String(), Type.Unknown(), {
      description: 'the in-toto Statement v1 that was signed; its `predicate` is the record',
    }),
    receipt: Type.String({ description: 'where its receipt is' }),
  },
  closed,
);
export type RecordView = Static<typeof RecordView>;
