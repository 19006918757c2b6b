// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from './generated/types.ts';

/**
 * The keys that you trust: the bytes or the text of `writ-keys.json`, or of a trust policy. Pin them: whoever answers a
 * request for keys could have made the receipt, too.
 */
export type TrustedKeys = string | Uint8Array;

/** What you know of the receipt that you want. A genuine receipt of another call fails. */
export interface ExpectedReceipt {
  readonly operationId?: string;
  readonly logId?: string;
  readonly deployment?: string;
  readonly toolId?: string;
  readonly agentId?: string;
  readonly capabilityTokenId?: string;
  readonly workspaceId?: string;
}

/** A receipt that verified: all of it comes from bytes that a trusted key signed. */
export interface VerifiedReceipt {
  readonly deployment: string;
  readonly record: AuditRecord;
  /** each check that passed, with its finding for people */
  readonly checks: readonly { readonly name: string; readonly detail: string }[];
  readonly treeSize: number;
}
