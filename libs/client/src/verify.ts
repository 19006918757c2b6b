// SPDX-License-Identifier: Apache-2.0
// The verifier of receipts by itself, which a page loads when somebody verifies.
export { verifyReceipt } from './receipts.ts';
export { ReceiptVerificationError } from './errors.ts';
export type { ExpectedReceipt, TrustedKeys, VerifiedReceipt } from './verified-receipt.ts';
