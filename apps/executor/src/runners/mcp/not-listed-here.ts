// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from '@writ/contract';

/** This executor can't list a server now, for no reason that lies in the server. Another one, or a later try, may. */
export class NotListedHere extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string) {
    super(message);
    this.name = 'NotListedHere';
    this.code = code;
  }
}
