// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';

/** The fault of a tool, with a hint what to try. */
export class ToolFault extends Fault {
  readonly hint: string | null;

  constructor(code: FaultCode, detail: string, hint: string | null = null) {
    super(code, detail);
    this.name = 'ToolFault';
    this.hint = hint;
  }
}
