// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { ONE_LINE } from './one-line.ts';

/** The scope of a freeze; `all` is the whole deployment. */
export const FREEZE_SCOPES = ['tenant', 'agent', 'tool', 'all'] as const;
export const FreezeScope = Type.Enum(FREEZE_SCOPES);
export type FreezeScope = Static<typeof FreezeScope>;

/** The reason, shown to those that are stopped. */
export const FreezeReason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: ONE_LINE,
  description: 'why; callers that are refused read it',
});
