// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  LIMITS,
  logIdOf,
  predicateTypeOf,
  RECORD_PAYLOAD_TYPE,
  type AppendRequest,
  type AuditRecord,
  type RecordKind,
} from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { keyEventOf } from '@writ/receipt';
import { decodeBase64, ed25519Engine, verifyEnvelope, verifyEnvelopeOnThread, type KnownKey } from '@writ/signing';
import type { Entry } from '../log/entry.ts';
import { ConcurrencyLimiter } from '../foundation/concurrency-limiter.ts';

type SentRecord = AppendRequest['records'][number];
/** Where a signature is verified: on a worker thread (`worker`), or on the event loop (`inline`). */
export type VerifyMode = 'worker' | 'inline';
interface Statement {
  predicateType?: unknown;
  predicate?: Record<string, unknown>;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Verifies that the kernel signed a record, before the record reaches the log. The record must name the
 * tenant and log that it was sent for. INVARIANT (no more by a revoked key): once a revoked key is closed, every
 * further record by it is refused, whatever its date. The record of a revocation is refused as long as this ledger
 * still accepts records by that key. Verifiers go by the index of that record in the log, and would reject later
 * records that the ledger had confirmed.
 */
export class RecordVerifier {
  readonly #keys: ReadonlyMap<string, KnownKey>;
  readonly #now: () => number;
  readonly #limiter = new ConcurrencyLimiter(ed25519Engine.threadBatchSize);

  /** `now`: milliseconds since the epoch */
  constructor(keys: ReadonlyMap<string, KnownKey>, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  /**
   * Resolves with the entry, or with a Fault `record.invalid` or `record.too_large` that has the reason. Never rejects.
   */
  async verify(record: SentRecord, where: VerifyMode): Promise<Entry | Fault> {
    try {
      return await this.#limiter.run(() => this.#entryOf(record, where));
    } catch (error) {
      return error instanceof Fault
        ? error
        : new Fault('record.invalid', error instanceof Error ? error.message : undefined, { cause: error });
    }
  }

  async #entryOf(record: SentRecord, where: VerifyMode): Promise<Entry> {
    const payload =
      where === 'inline'
        ? verifyEnvelope(record.envelope, this.#keys, RECORD_PAYLOAD_TYPE)
        : await verifyEnvelopeOnThread(record.envelope, this.#keys, RECORD_PAYLOAD_TYPE);
    if (payload.length > LIMITS.recordBytes.max)
      throw new Fault('record.too_large', `a record has at most ${LIMITS.recordBytes.max} bytes`);
    const statement = parseIJson(payload, { depthMax: LIMITS.argsDepth.max }) as Statement;
    const predicate = statement.predicate ?? {};
    const logId = logIdOf(record.tenant_id);
    const signature = record.envelope.signatures[0];
    const kind = text(predicate['kind']);
    const recordedAt = predicate['recorded_at'];
    if (
      predicate['record_id'] !== record.record_id ||
      predicate['tenant_id'] !== record.tenant_id ||
      predicate['log_id'] !== logId
    ) {
      throw new Fault('record.invalid', 'the record names another id, tenant or log than it was sent for');
    }
    if (kind === null || statement.predicateType !== predicateTypeOf(kind as RecordKind))
      throw new Fault('record.invalid', "the predicate type is not of the record's kind");
    if (record.envelope.signatures.length !== 1 || !signature || predicate['kernel_key_id'] !== signature.keyid) {
      throw new Fault('record.invalid', 'the record must carry one signature, by the key that it names');
    }
    if (!Number.isSafeInteger(recordedAt)) throw new Fault('record.invalid', '`recorded_at` must be milliseconds');
    this.#requireAccepted(signature.keyid, recordedAt as number);
    this.#requireClosed(predicate);
    return {
      logId,
      tenantId: record.tenant_id,
      recordId: record.record_id,
      kind,
      operationId: text(predicate['operation_id']),
      phase: text(predicate['phase']),
      payload,
      keyid: signature.keyid,
      sig: decodeBase64(signature.sig),
      recordedAt: recordedAt as number,
      traceparent: traceparentOf(predicate),
    };
  }

  /** Refuses what a verifier of the receipt would refuse. */
  #requireAccepted(keyid: string, recordedAt: number): void {
    const key = this.#keys.get(keyid);
    // The keys may have been read again while the signature was verified.
    if (key === undefined) throw new Fault('record.invalid', 'the key that signed the record is no longer published');
    const { notBefore, notAfter, closesAt } = key;
    if (closesAt !== null && closesAt <= this.#now())
      throw new Fault('record.invalid', 'the key that signed the record was revoked');
    if (recordedAt < (notBefore ?? -Infinity) || recordedAt > (notAfter ?? Infinity))
      throw new Fault('record.invalid', "the date of the record is outside of its key's validity");
  }

  /** Refuses the revocation of a key that is still accepted. The kernel keeps the record and sends it again. */
  #requireClosed({ kind, change }: Record<string, unknown>): void {
    const keyEvent = kind === 'key' ? keyEventOf({ kind, change } as Pick<AuditRecord, 'kind' | 'change'>) : null;
    if (keyEvent?.event !== 'revoked' || keyEvent.purpose !== 'record') return;
    const key = this.#keys.get(keyEvent.keyid);
    if (key !== undefined && (key.closesAt ?? Infinity) > this.#now())
      throw new Fault(
        'record.invalid',
        'the key that the record revokes is still accepted here: the revocation is appended once the key is closed',
      );
  }
}

/**
 * The trace in which a record was made, as a `traceparent` header:
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
function traceparentOf({ trace_id, span_id }: Record<string, unknown>): string | null {
  const [trace, span] = [text(trace_id), text(span_id)];
  return trace === null || span === null ? null : `00-${trace}-${span}-01`;
}
