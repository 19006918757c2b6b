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

export const hasToStop = (): GateRefusal => new GateRefusal('egress.refused', 'the call has to stop');

export const notConfirmed = (cause: unknown): GateRefusal =>
  new GateRefusal('egress.refused', 'the kernel did not confirm that the call may go on', null, { cause });

/** The message does not name the address: a job would learn how internal names resolve. */
export const notPublic = (host: string): GateRefusal =>
  new GateRefusal('egress.refused', `\`${host}\` does not lead to the public network alone`);

export const bytesUsedUp = (bytesMax: number): GateRefusal =>
  new GateRefusal('limit.exceeded', `the call has used its \`egress_bytes\` of ${bytesMax}`);
