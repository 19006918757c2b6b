// SPDX-License-Identifier: Apache-2.0
//
// Has the newest checkpoint of each log cosigned, in rounds beside everything else. INVARIANT (never in the way): an
// append, a receipt and a checkpoint wait for no witness; what witnesses haven't said yet is missing from the note, and
// a verifier who asks for it says so.
import { logIdOf, type TenantId } from '@writ/contract';
import { decodeBase64 } from '@writ/signing';
import type { LogReader } from '../log/log-reader.ts';
import { nameOfKey, type Cosignatures, type LedgerCheckpoint } from '../signing/cosignatures.ts';
import type { WitnessWatch } from '../foundation/ledger-watch.ts';
import type { AskWitness } from './ask-witness.ts';
import type { WitnessAddress } from '../foundation/witnesses-file.ts';

/** From one round to the next: within it all checkpoints of a log but the newest are passed over. */
const ROUND_MS = 1_000;
/** Logs at once: bounds connections to the database and to each witness. */
const LOGS_AT_ONCE = 4;
/** A witness that said nothing is left alone for so long, twice as long each time. */
const SILENT_MS = { first: 1_000, longest: 30_000 } as const;
/** What a witness is remembered to have seen; forgotten, it says so again. */
const SIZES_MAX = 50_000;

export interface CosignerHooks {
  /** told when a witness falls silent and when it is back: `why` is null then */
  readonly onWitness: (witness: string, why: string | null) => void;
  /** told when a witness saw this log at this size with another root: one of the two is not what it says it is */
  readonly onFork: (witness: string, logId: string, treeSize: number) => void;
  /** told of every answer of a witness, and of its silence */
  readonly onAnswer?: WitnessWatch;
  /** told of our own faults, as a database that is away */
  readonly onError: (error: unknown) => void;
}

export interface CosignerParts {
  readonly witnesses: readonly WitnessAddress[];
  readonly store: Cosignatures;
  readonly reader: LogReader;
  readonly ask: AskWitness;
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
   * @param due tenants whose logs have a checkpoint that is newer than what was asked about; whoever stores one adds to
   * it
   */
  constructor(due: Set<string>, parts: CosignerParts) {
    this.#due = due;
    this.#parts = parts;
  }

  /** Goes round until it is stopped. */
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

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** One round: asks about every log that is due. A log stays due while a witness is missing. */
  async round(now: number): Promise<void> {
    const waiting = [...this.#due];
    const turn = async (): Promise<void> => {
      for (let tenantId = waiting.pop(); tenantId !== undefined; tenantId = waiting.pop()) {
        // Before it is looked at: a checkpoint that comes meanwhile makes it due again.
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
    await Promise.all(Array.from({ length: LOGS_AT_ONCE }, turn));
  }

  /** Answers whether all witnesses have cosigned the newest checkpoint. */
  async #cosignLog(tenantId: string, now: number): Promise<boolean> {
    const standing = await this.#parts.store.standing(tenantId);
    if (standing === null) return true;
    const missing = this.#parts.witnesses.filter(({ key }) => !standing.cosignedBy.has(nameOfKey(key)));
    const done = await Promise.all(
      missing.map((witness) => (this.#isSilent(witness, now) ? false : this.#cosign(witness, tenantId, standing, now))),
    );
    return done.every(Boolean);
  }

  async #cosign(witness: WitnessAddress, tenantId: string, standing: LedgerCheckpoint, now: number): Promise<boolean> {
    const name = nameOfKey(witness.key);
    const logId = logIdOf(tenantId as TenantId);
    // Twice: the first answer may be the size that it saw.
    for (let asked = 0; asked < 2; asked += 1) {
      const oldSize = this.#sizes.get(`${name} ${logId}`) ?? 0;
      // It saw a checkpoint of another replica's that isn't stored here yet.
      if (oldSize > standing.treeSize) return false;
      const { hashes } = await this.#parts.reader.consistency({
        v: 1,
        tenant_id: tenantId,
        from: oldSize,
        to: standing.treeSize,
      });
      const answer = await this.#parts.ask(witness, {
        oldSize,
        hashes: hashes.map((hash) => decodeBase64(hash)),
        note: standing.note,
      });
      if (answer.said === 'nothing') {
        this.#parts.hooks.onAnswer?.(name, 'silent');
        return this.#fellSilent(name, answer.why, now);
      }
      this.#isBack(name);
      if (answer.said === 'cosigned') {
        this.#parts.hooks.onAnswer?.(name, 'cosigned');
        await this.#parts.store.keep(tenantId, standing.treeSize, witness.key, answer.line);
        this.#remember(`${name} ${logId}`, standing.treeSize);
        return true;
      }
      if (answer.treeSize === oldSize && oldSize === standing.treeSize) {
        this.#parts.hooks.onAnswer?.(name, 'fork');
        this.#parts.hooks.onFork(name, logId, standing.treeSize);
        // It will say the same until there is another checkpoint.
        return true;
      }
      this.#parts.hooks.onAnswer?.(name, 'conflict');
      this.#remember(`${name} ${logId}`, answer.treeSize);
    }
    return false;
  }

  #remember(place: string, treeSize: number): void {
    if (this.#sizes.size >= SIZES_MAX) this.#sizes.clear();
    this.#sizes.set(place, treeSize);
  }

  #isSilent({ key }: WitnessAddress, now: number): boolean {
    return (this.#silent.get(nameOfKey(key))?.until ?? 0) > now;
  }

  #fellSilent(name: string, why: string, now: number): false {
    const known = this.#silent.get(name);
    // Of a round's logs the first says it for all.
    if (known !== undefined && known.until > now) return false;
    if (known === undefined) this.#parts.hooks.onWitness(name, why);
    const waitMs = known?.nextMs ?? SILENT_MS.first;
    this.#silent.set(name, { until: now + waitMs, nextMs: Math.min(2 * waitMs, SILENT_MS.longest) });
    return false;
  }

  #isBack(name: string): void {
    if (this.#silent.delete(name)) this.#parts.hooks.onWitness(name, null);
  }
}
