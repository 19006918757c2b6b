// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import type { Findings } from './findings.ts';
import { readPayloads, type Connection } from './rows.ts';

/** Decisions in one query. */
const PENDING_MAX = 500;

/** Checks that the decision of each outcome is in the log, with the bytes of the named hash. */
export class DecisionCheck {
  readonly #client: Connection;
  readonly #logId: string;
  readonly #findings: Findings;
  #pending: { leafIndex: number; recordId: string; hash: string }[] = [];

  constructor(client: Connection, logId: string, findings: Findings) {
    this.#client = client;
    this.#logId = logId;
    this.#findings = findings;
  }

  async take(leafIndex: number, { decision_record_id: recordId, decision_hash: hash }: AuditRecord): Promise<void> {
    if (recordId === null || hash === null) return;
    this.#pending.push({ leafIndex, recordId, hash });
    if (this.#pending.length >= PENDING_MAX) await this.finish();
  }

  async finish(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    const payloads = await readPayloads(
      this.#client,
      this.#logId,
      pending.map(({ recordId }) => recordId),
    );
    for (const { leafIndex, recordId, hash } of pending) {
      const payload = payloads.get(recordId);
      const where = `leaf ${leafIndex}`;
      if (payload === undefined)
        this.#findings.add(where, `names the decision \`${recordId}\`, which is not in the log`);
      else
        this.#findings.demand(
          sha256Hex(payload) === hash,
          where,
          `names the decision \`${recordId}\` by another hash than it has`,
        );
    }
  }
}
