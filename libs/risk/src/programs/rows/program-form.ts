// SPDX-License-Identifier: Apache-2.0
import type { ActKind } from '../../act.ts';

/** A program, or a form of it told by its words and flags. */
export interface ProgramForm {
  readonly programs: readonly string[];
  /**
   * words that must stand in this order among the first operands; `a|b` is either, `a*` what begins so, `*` any, `=*`
   * what assigns
   */
  readonly words?: readonly string[];
  /** words of which none may stand among the first operands */
  readonly without?: readonly string[];
  /** whether the words must be the very first operands */
  readonly first?: boolean;
  /** flags of which one must be given */
  readonly flags?: readonly string[];
  /** flags of which none may be given: with them it only shows what it would do */
  readonly unless?: readonly string[];
}

/** A form that does a thing whatever it is pointed at. */
export interface TableRow extends ProgramForm {
  /** whether it does nothing of the kind without any argument */
  readonly needsArguments?: boolean;
  /** what one of its operands must be: an address instead of a name of a registry, or something that isn't known */
  readonly operand?: 'address' | 'first_address' | 'unknown';
  readonly kind: ActKind;
}
