// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import { keyEventOf, revocationIn, revokedAtLeaf, type KeySet, type LoggedRevocation } from '@writ/receipt';
import type { Findings } from './findings.ts';

/**
 * Checks what a log says of the keys that sign it, leaf after leaf: its key records can be read, and nothing by a
 * revoked key stands behind its revocation.
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
    // Of a log as it is stored there is one, so its id stands for what its checkpoints call it.
    const isRevoked = (this.#keys.recordKeys.get(keyid)?.revokedAt ?? null) !== null;
    const end = isRevoked ? revokedAtLeaf(this.#revocations, { origin: this.#logId, keyid }, this.#keys) : undefined;
    this.#findings.demand(
      end === undefined,
      where,
      `is signed by a key whose revocation stands before it (leaf ${end})`,
    );
    const said = revocationIn(record, this.#logId, leafIndex);
    if (said !== null) this.#revocations.push(said);
  }
}
