// SPDX-License-Identifier: Apache-2.0
import type { EffectRule } from '@writ/contract';
import type { EffectMode } from './settings.ts';

/** A rule's finding about an effect. */
export interface EffectFinding {
  readonly rule: EffectRule;
  /** its mode, before the session's mode and the issuer of the token are considered */
  readonly mode: EffectMode;
  /** how many files it concerns; an approval covers at most this size */
  readonly size: number;
  /** for the person who decides: what the effect does, beginning with a verb */
  readonly message: string;
}

/** A number of files, for people. */
export const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;
