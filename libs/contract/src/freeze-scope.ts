// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

/** The scope of a freeze; `all` is the whole deployment. */
export const FREEZE_SCOPES = ['tenant', 'agent', 'tool', 'all'] as const;
export const FreezeScope = Type.Enum(FREEZE_SCOPES);
export type FreezeScope = Static<typeof FreezeScope>;

/** The reason, shown to those that are stopped. */
export const FreezeReason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'why; callers that are refused read it',
});
