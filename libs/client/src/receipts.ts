// SPDX-License-Identifier: Apache-2.0
import { ReceiptVerificationError } from './errors.ts';
import { checkReceipt } from './check-receipt.ts';
import type { ExpectedReceipt, TrustedKeys, VerifiedReceipt } from './verified-receipt.ts';

/**
 * Verifies a receipt offline: the signature of its record, and the proof that the record is in the log.
 *
 * @throws ReceiptVerificationError with the check that failed
 */
export function verifyReceipt(
  file: string | Uint8Array,
  trusted: TrustedKeys,
  expected: ExpectedReceipt = {},
): VerifiedReceipt {
  return checkReceipt(file, trusted, expected, Date.now());
}

/** What the caller sent of a call, as far as its record says it, too. */
export type SentCall = Pick<ExpectedReceipt, 'toolId' | 'agentId' | 'capabilityTokenId' | 'workspaceId'>;

/** The file of a call's receipt, byte for byte as the API returned it. */
export class CallReceipt {
  readonly text: string;
  readonly operationId: string;
  readonly #sent: SentCall;

  constructor(text: string, operationId: string, sent: SentCall) {
    this.text = text;
    this.operationId = operationId;
    this.#sent = sent;
  }

  /**
   * Verifies it as the receipt of its call: of the operation, and with the tool, agent, token and workspace that were
   * sent. INVARIANT (what was sent): the answer that named the operation is no proof, since whoever answers may name
   * another genuine call. What was not sent isn't compared, unless `expected` has it.
   *
   * @throws ReceiptVerificationError
   */
  verify(trusted: TrustedKeys, expected: Omit<ExpectedReceipt, 'operationId'> = {}): VerifiedReceipt {
    if (trusted === undefined || trusted === null)
      throw new ReceiptVerificationError(
        'keys',
        'no keys are trusted: pass the text of the `writ-keys.json` that you keep',
      );
    return verifyReceipt(this.text, trusted, { ...expected, ...this.#sent, operationId: this.operationId });
  }
}
