// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord, BundleManifest } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { parseReceipt, ReceiptError, verifyReceipt, type KeyHistory } from '@writ/receipt';
import { decodeBase64 } from '@writ/signing';
import { CliError } from '../cli-error.ts';
import type { KeyHistoryFile } from '../key-history-file.ts';
import type { Terms } from '../trust.ts';
import { invalidBundle } from './bundle-archive.ts';

/** Milliseconds: the range for the times of a bundle's first and last record. */
type Range = Pick<BundleManifest, 'since' | 'until'>;

/** The records of a bundle, verified one after another, and their totals. */
export class BundleRecords {
  readonly #terms: Terms;
  readonly #checkpoint: string;
  #history: KeyHistory;
  readonly #payloads = new Map<string, string>();
  readonly #decisions: { readonly id: string; readonly hash: string }[] = [];
  readonly referenced = { policy: new Set<string>(), tool: new Set<string>() };
  readonly operations = new Set<string>();
  count = 0;
  /** records by a key that was revoked later */
  byRevoked = 0;
  first: number | null = null;
  last: number | null = null;
  isContiguous = true;
  #firstAt = 0;
  #lastAt = 0;

  constructor(terms: Terms, checkpoint: string, history: KeyHistory) {
    this.#terms = terms;
    this.#checkpoint = checkpoint;
    this.#history = history;
  }

  /** Adds the key history of the bundle's log. @throws CliError `verify.<check>` */
  addHistory(file: KeyHistoryFile): void {
    if (this.count > 0) throw invalidBundle('the history of keys comes behind receipts that are judged by it');
    for (const checkpoint of file.checkpoints)
      if (checkpoint !== this.#checkpoint)
        throw new CliError(
          'verify.checkpoint',
          "the history of keys is proved towards another checkpoint than the bundle's",
        );
    this.#history = [...this.#history, ...file.historyOf(this.#checkpoint, this.#terms)];
  }

  /** The trusted keys. */
  get keys(): Terms['keys'] {
    return this.#terms.keys;
  }

  /** Verifies a file of receipts, one a line. @throws CliError `verify.<check>` naming the line */
  add(path: string, text: string, logId: string | null): string {
    const lines = text.split('\n');
    if (lines.pop() !== '') throw invalidBundle(`\`${path}\` doesn't end with a whole line`);
    let log = logId;
    for (const [i, line] of lines.entries()) log = this.#addReceipt(`${path}:${String(i + 1)}`, `${line}\n`, log);
    return log ?? '';
  }

  #addReceipt(where: string, line: string, logId: string | null): string {
    const { record, leafIndex, hash } = this.#verifyReceipt(where, line, logId);
    if (this.last !== null && leafIndex <= this.last)
      throw invalidBundle(`\`${where}\`: leaf ${String(leafIndex)} comes after leaf ${String(this.last)}`);
    this.isContiguous &&= this.last === null || leafIndex === this.last + 1;
    if (this.first === null) [this.first, this.#firstAt] = [leafIndex, record.recorded_at];
    [this.last, this.#lastAt] = [leafIndex, record.recorded_at];
    this.count += 1;
    if (this.keys.recordKeys.get(record.kernel_key_id)?.revokedAt !== null) this.byRevoked += 1;
    this.#payloads.set(record.record_id, hash);
    if (record.policy_hash !== null) this.referenced.policy.add(record.policy_hash);
    if (record.tool_definition_digest !== null) this.referenced.tool.add(record.tool_definition_digest);
    if (record.operation_id !== null) this.operations.add(record.operation_id);
    if (record.phase === 'outcome' && record.decision_record_id !== null && record.decision_hash !== null)
      this.#decisions.push({ id: record.decision_record_id, hash: record.decision_hash });
    return record.log_id;
  }

  #verifyReceipt(
    where: string,
    line: string,
    logId: string | null,
  ): { record: AuditRecord; leafIndex: number; hash: string } {
    try {
      const receipt = parseReceipt(line);
      if (receipt.inclusion.checkpoint !== this.#checkpoint)
        throw new ReceiptError('checkpoint', "it is proved towards another checkpoint than the bundle's");
      const { record } = verifyReceipt(
        receipt,
        this.#terms.keys,
        logId === null ? {} : { logId },
        this.#terms.witnessing,
        this.#history,
      );
      return {
        record,
        leafIndex: receipt.inclusion.leaf_index,
        hash: sha256Hex(decodeBase64(receipt.envelope.payload)),
      };
    } catch (error) {
      if (!(error instanceof ReceiptError)) throw error;
      throw new CliError(`verify.${error.check}`, `\`${where}\`: ${error.message}`);
    }
  }

  /** Requires the decision of every outcome of a session. @throws CliError */
  requireDecisions(): void {
    for (const { id, hash } of this.#decisions)
      if (this.#payloads.get(id) !== hash)
        throw invalidBundle(
          `an outcome names the decision \`${id}\`, and it isn't there: records of the session are missing`,
        );
  }

  /**
   * Requires that the leaves have no gap, and that the first and the last one are within the manifest's range of time.
   * @throws CliError
   */
  requireRange({ since, until }: Range): void {
    if (!this.isContiguous) throw invalidBundle('leaves are missing between the first and the last');
    for (const at of this.count === 0 ? [] : [this.#firstAt, this.#lastAt]) {
      if (at < (since ?? 0) || at >= (until ?? Infinity))
        throw invalidBundle("the first or the last record isn't of the range of time: it was cut elsewhere");
    }
  }
}
