// SPDX-License-Identifier: Apache-2.0
import type { ActKind } from '../../act.ts';

/** A program, or a form of it by its words and flags. */
export interface ProgramForm {
  readonly programs: readonly string[];
  /**
   * words that must occur in this order among the first operands; `a|b` is either, `a*` a prefix, `*` any, `=*` an
   * assignment
   */
  readonly words?: readonly string[];
  /** words none of which may occur among the first operands */
  readonly without?: readonly string[];
  /** whether the words must be the very first operands */
  readonly first?: boolean;
  /** flags of which one must be given */
  readonly flags?: readonly string[];
  /** flags none of which may be given: with them it only shows what it would do */
  readonly unless?: readonly string[];
}

/** A form with an effect whatever its target. */
export interface TableRow extends ProgramForm {
  /** whether it has no such effect without arguments */
  readonly needsArguments?: boolean;
  /** what one of its operands must be: an address instead of a name of a registry, or an unknown value */
  readonly operand?: 'address' | 'first_address' | 'unknown';
  readonly kind: ActKind;
}
