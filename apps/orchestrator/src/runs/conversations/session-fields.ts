// SPDX-License-Identifier: Apache-2.0 Fields of sessions and runs, shared by the routes of sessions and jobs.
import { DataSubject } from '@writ/contract';
import { TEXT_DIALECTS } from '@writ/dialects';
import { Type } from 'typebox';

/** Longest input: what a person writes at once, including long pasted texts. */
const INPUT_CHARS_MAX = 200_000;
const SYSTEM_CHARS_MAX = 50_000;
/** Most replies of a model in one task. */
const ROUNDS_MAX = 500;

export const sessionFields = {
  model: Type.String({ minLength: 1, maxLength: 64, description: 'one of `/v1/models`' }),
  dialect: Type.Optional(
    Type.Enum(['native', ...TEXT_DIALECTS], {
      description: "how the model writes its calls; default: `native`, the provider's format",
    }),
  ),
  system: Type.Optional(
    Type.String({ maxLength: SYSTEM_CHARS_MAX, description: 'text at the end of the system prompt' }),
  ),
  session_mode: Type.Optional(
    Type.Enum(['interactive', 'gateway'], {
      description:
        '`gateway`: nobody can be asked, so a call that needs a person is refused, unless it applies a staged change; default: `interactive`',
    }),
  ),
  data_subject: Type.Optional({
    ...DataSubject,
    description:
      'your own id of the person whom the session is about: its calls carry it, and an erasure can select texts by it',
  }),
};

export const runFields = {
  input: Type.String({ minLength: 1, maxLength: INPUT_CHARS_MAX }),
  rounds_max: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: ROUNDS_MAX,
      description: 'most replies of the model; default: 20, in `yips` 6',
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
