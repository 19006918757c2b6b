// SPDX-License-Identifier: Apache-2.0
// What sessions and runs are made of, whether a session's routes ask for it or a job's.
import { DataSubject } from '@writ/contract';
import { TEXT_DIALECTS } from '@writ/dialects';
import { Type } from 'typebox';

/** What a person writes at once, with much pasted into it. */
const INPUT_CHARS_MAX = 200_000;
const SYSTEM_CHARS_MAX = 50_000;
/** More replies of a model than this are no task. */
const ROUNDS_MAX = 500;

export const sessionFields = {
  model: Type.String({ minLength: 1, maxLength: 64, description: 'one of `/v1/models`' }),
  dialect: Type.Optional(
    Type.Enum(['native', ...TEXT_DIALECTS], {
      description: 'how the model writes its calls; `native`, as its provider has it, unless said',
    }),
  ),
  system: Type.Optional(
    Type.String({ maxLength: SYSTEM_CHARS_MAX, description: 'told to the model after everything else of its prompt' }),
  ),
  data_subject: Type.Optional({
    ...DataSubject,
    description:
      'an id of your own for the person whom the session is about: its calls name it, and its texts can be erased by it',
  }),
};

export const runFields = {
  input: Type.String({ minLength: 1, maxLength: INPUT_CHARS_MAX }),
  rounds_max: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ROUNDS_MAX,
      description: 'most replies of the model; 20 unless said, in `yips` 6',
    }),
  ),
  tokens_max: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'most tokens, input and output together' }),
  ),
  cost_max: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      description: "most that it may cost, in millionths of the model's currency",
    }),
  ),
};
