// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { JsonError } from '@writ/digest';
import { MerkleError } from '@writ/merkle';
import { SignatureError } from '@writ/signing';
import { ReceiptError } from './receipt-error.ts';
import type { CheckName } from './receipt-error.ts';

/**
 * Runs a part of a check. An error of the libraries below about bad input becomes a ReceiptError of this check. Any
 * other error is a bug and passes unchanged.
 */
export function within<T>(check: CheckName, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (
      error instanceof JsonError ||
      error instanceof SignatureError ||
      error instanceof MerkleError ||
      error instanceof Fault
    ) {
      throw new ReceiptError(check, error.message, { cause: error });
    }
    throw error;
  }
}

/** Throws a ReceiptError unless the condition holds. */
export function demand(check: CheckName, isMet: boolean, otherwise: string): void {
  if (!isMet) throw new ReceiptError(check, otherwise);
}
