// SPDX-License-Identifier: Apache-2.0
import type { EffectRule } from '@writ/contract';
import type { EffectMode } from './settings.ts';

/** What a rule found in an effect. */
export interface EffectFinding {
  readonly rule: EffectRule;
  /** what it leads to, before the session's mode and the issuer of the token are considered */
  readonly mode: EffectMode;
  /** how many files it is about: a yes covers it at this size at most */
  readonly size: number;
  /** for the person who decides: what the effect does, beginning with a verb */
  readonly message: string;
}

/** Files as a person counts them. */
export const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;
