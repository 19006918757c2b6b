// SPDX-License-Identifier: Apache-2.0
export { PublishedKeys, keySetOf, parseKeySet } from './key-set.ts';
export type { KeySet, RecordKey } from './key-set.ts';
export { CHECKS, ReceiptError } from './receipt-error.ts';
export type { CheckName } from './receipt-error.ts';
export { RECEIPT_MEDIA_TYPE, assembleReceipt, encodeReceipt, parseReceipt } from './receipt-file.ts';
export type { Proof } from './receipt-file.ts';
export { sealRecord } from './seal.ts';
export type { SealedRecord } from './seal.ts';
export { STATEMENT_TYPE, statementOf } from './statement.ts';
export type { Statement, Subject } from './statement.ts';
export { TrustPolicyFile, deploymentOfOrigin, parseTrustPolicy } from './trust-policy.ts';
export type { Deployment, TrustPolicy, WitnessTerms } from './trust-policy.ts';
export { verifyReceipt, verifyReceiptFile } from './verify.ts';
export type { Expectation, PassedCheck, VerifiedReceipt, Witnessing } from './verify.ts';
export { verifyLeaf, verifyLeafAside } from './verify-leaf.ts';
export type { SignedLeaf, VerifiedLeaf } from './verify-leaf.ts';
export { verifyWitnessed } from './witnessed.ts';
