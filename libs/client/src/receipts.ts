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

/** The file of a call's receipt, byte for byte as the API returned it. */
export class CallReceipt {
  readonly text: string;
  readonly operationId: string;

  constructor(text: string, operationId: string) {
    this.text = text;
    this.operationId = operationId;
  }

  /** Verifies it as the receipt of its call. @throws ReceiptVerificationError */
  verify(trusted: TrustedKeys, expected: Omit<ExpectedReceipt, 'operationId'> = {}): VerifiedReceipt {
    if (trusted === undefined || trusted === null)
      throw new ReceiptVerificationError(
        'keys',
        'no keys are trusted: pass the text of the `writ-keys.json` that you keep',
      );
    return verifyReceipt(this.text, trusted, { ...expected, operationId: this.operationId });
  }
}
