// SPDX-License-Identifier: Apache-2.0
//
// Requests cosignatures for the newest checkpoint of each log, in rounds in the background. INVARIANT (never in the
// way): an append, a receipt and a checkpoint never wait for a witness. Missing cosignatures are absent from the note,
// and a verifier that requires them rejects the receipt.
import { logIdOf, type TenantId } from '@writ/contract';
import { decodeBase64 } from '@writ/signing';
import type { LogReader } from '../log/log-reader.ts';
import { nameOfKey, type Cosignatures, type LedgerCheckpoint } from '../signing/cosignatures.ts';
import type { WitnessWatch } from '../foundation/ledger-watch.ts';
import type { RequestCosignature } from './request-cosignature.ts';
import type { WitnessAddress } from '../foundation/witnesses-file.ts';

/** The interval of rounds: within it, all checkpoints of a log except the newest are skipped. */
const ROUND_MS = 1_000;
/** Concurrent logs: bounds connections to the database and to each witness. */
const CONCURRENT_LOGS = 4;
/** A witness that did not answer gets no request for so long, twice as long each time. */
const BACKOFF_MS = { first: 1_000, longest: 30_000 } as const;
/** Cached sizes that witnesses saw. If one is evicted, the witness reports it again. */
const SIZES_MAX = 50_000;

export interface CosignerHooks {
  /** called when a witness stops answering and when it recovers: `why` is null then */
  readonly onWitness: (witness: string, why: string | null) => void;
  /** called when a witness saw this log at this size with another root: the ledger or the witness is wrong */
  readonly onFork: (witness: string, logId: string, treeSize: number) => void;
  /** called for every answer of a witness, and for a missing answer */
  readonly onAnswer?: WitnessWatch;
  /** called for faults of the ledger, such as an unreachable database */
  readonly onError: (error: unknown) => void;
}

export interface CosignerParts {
  readonly witnesses: readonly WitnessAddress[];
  readonly store: Cosignatures;
  readonly reader: LogReader;
  readonly requestCosignature: RequestCosignature;
  readonly hooks: CosignerHooks;
}

interface Silence {
  readonly until: number;
  readonly nextMs: number;
}

export class Cosigner {
  readonly #due: Set<string>;
  readonly #sizes = new Map<string, number>();
  readonly #silent = new Map<string, Silence>();
  readonly #parts: CosignerParts;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  /**
   * @param due tenants whose logs have a checkpoint without all cosignatures; the caller adds a tenant for each stored
   * checkpoint
   */
  constructor(due: Set<string>, parts: CosignerParts) {
    this.#due = due;
    this.#parts = parts;
  }

  /** Starts rounds until it is stopped. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.round(Date.now())
        .catch(this.#parts.hooks.onError)
        .finally(() => {
          this.#round = undefined;
        });
    }, ROUND_MS);
    this.#timer.unref();
  }

  /** Resolves when the running round has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** One round: requests the missing cosignatures of every due log. A log stays due while a witness is missing. */
  async round(now: number): Promise<void> {
    const waiting = [...this.#due];
    const worker = async (): Promise<void> => {
      for (let tenantId = waiting.pop(); tenantId !== undefined; tenantId = waiting.pop()) {
        // Removed before the log is read: a checkpoint that is stored meanwhile makes the log due again.
        this.#due.delete(tenantId);
        if (
          !(await this.#cosignLog(tenantId, now).catch((error: unknown) => {
            this.#parts.hooks.onError(error);
            return false;
          }))
        )
          this.#due.add(tenantId);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_LOGS }, worker));
  }

  /** Resolves with whether all witnesses have cosigned the newest checkpoint. */
  async #cosignLog(tenantId: string, now: number): Promise<boolean> {
    const checkpoint = await this.#parts.store.newestCheckpoint(tenantId);
    if (checkpoint === null) return true;
    const missing = this.#parts.witnesses.filter(({ key }) => !checkpoint.cosignedBy.has(nameOfKey(key)));
    const done = await Promise.all(
      missing.map((witness) =>
        this.#isSilent(witness, now) ? false : this.#cosign(witness, tenantId, checkpoint, now),
      ),
    );
    return done.every(Boolean);
  }

  async #cosign(
    witness: WitnessAddress,
    tenantId: string,
    checkpoint: LedgerCheckpoint,
    now: number,
  ): Promise<boolean> {
    const name = nameOfKey(witness.key);
    const logId = logIdOf(tenantId as TenantId);
    // Two tries: the first answer may be the size that the witness saw.
    for (let tries = 0; tries < 2; tries += 1) {
      const oldSize = this.#sizes.get(`${name} ${logId}`) ?? 0;
      // The witness saw a checkpoint of another replica that isn't stored here yet.
      if (oldSize > checkpoint.treeSize) return false;
      const { hashes } = await this.#parts.reader.consistency({
        v: 1,
        tenant_id: tenantId,
        from: oldSize,
        to: checkpoint.treeSize,
      });
      const answer = await this.#parts.requestCosignature(witness, {
        oldSize,
        hashes: hashes.map((hash) => decodeBase64(hash)),
        note: checkpoint.note,
      });
      if (answer.kind === 'nothing') {
        this.#parts.hooks.onAnswer?.(name, 'silent');
        return this.#recordSilence(name, answer.why, now);
      }
      this.#recordRecovery(name);
      if (answer.kind === 'cosigned') {
        this.#parts.hooks.onAnswer?.(name, 'cosigned');
        await this.#parts.store.insert(tenantId, checkpoint.treeSize, witness.key, answer.line);
        this.#cacheSize(`${name} ${logId}`, checkpoint.treeSize);
        return true;
      }
      if (answer.treeSize === oldSize && oldSize === checkpoint.treeSize) {
        this.#parts.hooks.onAnswer?.(name, 'fork');
        this.#parts.hooks.onFork(name, logId, checkpoint.treeSize);
        // The witness answers the same until there is a newer checkpoint.
        return true;
      }
      this.#parts.hooks.onAnswer?.(name, 'conflict');
      this.#cacheSize(`${name} ${logId}`, answer.treeSize);
    }
    return false;
  }

  #cacheSize(key: string, treeSize: number): void {
    if (this.#sizes.size >= SIZES_MAX) this.#sizes.clear();
    this.#sizes.set(key, treeSize);
  }

  #isSilent({ key }: WitnessAddress, now: number): boolean {
    return (this.#silent.get(nameOfKey(key))?.until ?? 0) > now;
  }

  #recordSilence(name: string, why: string, now: number): false {
    const silence = this.#silent.get(name);
    // The first log of a round reports the silence for all of them.
    if (silence !== undefined && silence.until > now) return false;
    if (silence === undefined) this.#parts.hooks.onWitness(name, why);
    const waitMs = silence?.nextMs ?? BACKOFF_MS.first;
    this.#silent.set(name, { until: now + waitMs, nextMs: Math.min(2 * waitMs, BACKOFF_MS.longest) });
    return false;
  }

  #recordRecovery(name: string): void {
    if (this.#silent.delete(name)) this.#parts.hooks.onWitness(name, null);
  }
}
