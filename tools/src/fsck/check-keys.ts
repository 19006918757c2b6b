// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import { keyEventOf, parseRevocation, revokedAtLeaf, type KeySet, type LoggedRevocation } from '@writ/receipt';
import type { Findings } from './findings.ts';

/**
 * Checks a log's records of the keys that sign it, leaf after leaf: each can be parsed, and nothing after a revocation
 * is signed by the revoked key.
 */
export class KeyCheck {
  readonly #logId: string;
  readonly #keys: KeySet;
  readonly #findings: Findings;
  readonly #revocations: LoggedRevocation[] = [];

  constructor(logId: string, keys: KeySet, findings: Findings) {
    this.#logId = logId;
    this.#keys = keys;
    this.#findings = findings;
  }

  take(leafIndex: number, record: AuditRecord): void {
    const where = `leaf ${leafIndex}`;
    const keyid = record.kernel_key_id;
    this.#findings.demand(
      record.kind !== 'key' || keyEventOf(record) !== null,
      where,
      'is a record of a key and says nothing of one',
    );
    // A stored log has one ledger, so the log's id replaces the origin of its checkpoints.
    const isRevoked = (this.#keys.recordKeys.get(keyid)?.revokedAt ?? null) !== null;
    const end = isRevoked ? revokedAtLeaf(this.#revocations, { origin: this.#logId, keyid }, this.#keys) : undefined;
    this.#findings.demand(
      end === undefined,
      where,
      `is signed by a key whose revocation stands before it (leaf ${end})`,
    );
    const output = parseRevocation(record, this.#logId, leafIndex);
    if (output !== null) this.#revocations.push(output);
  }
}
