// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from '@writ/contract';

/** The gate refused a request, and nothing of it left. */
export class GateRefusal extends Error {
  readonly code: FaultCode;
  readonly hint: string | null;

  constructor(code: FaultCode, message: string, hint: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GateRefusal';
    this.code = code;
    this.hint = hint;
  }
}
