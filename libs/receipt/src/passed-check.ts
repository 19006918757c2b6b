// SPDX-License-Identifier: Apache-2.0
import type { CheckName } from './receipt-error.ts';

/** A check of a receipt that passed. */
export interface PassedCheck {
  readonly name: CheckName;
  /** The finding, for people. */
  readonly detail: string;
}
