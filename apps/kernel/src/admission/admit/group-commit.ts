// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { AdmissionParameters, AdmissionStatements } from './admission-statements.ts';

/**
 * Maximum number of admissions in one statement. Each keeps its locks until the last one is written, and each takes
 * about a millisecond.
 */
export const GROUP_MAX = 16;
/**
 * How long a running statement delays the next one, in milliseconds: longer than a full group takes. A statement that
 * takes longer waits for a lock or a disk, so the next one starts in parallel.
 */
export const STATEMENT_MAX_MS = 25;
/**
 * How long each call of a tenant is written separately after one of its calls failed in a group, in milliseconds. The
 * lock that the call waited for in vain delayed the others too.
 */
export const SEPARATE_MS = 1_000;
/** Maximum number of tenants for which that time is stored. */
const SEPARATE_TENANTS_MAX = 10_000;

interface PendingAdmission {
  readonly admission: AdmissionParameters;
  readonly resolve: (row: OperationRow) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit (ADR 0081): admissions that arrive while a statement runs are written together by the next statement. An
 * admission that arrives alone is written at once. No call waits for a timer. INVARIANT (each for itself): an admission
 * that can't be written in a group doesn't affect the others. It is then written separately, and its caller gets the
 * reason why it fails. INVARIANT (one order of locks): a group has calls of only one token of each tenant, so they
 * share budgets. Its tenants are sorted by id.
 */
export class AdmissionGroupCommit {
  readonly #statements: AdmissionStatements;
  readonly #monotonic: () => number;
  readonly #pending: PendingAdmission[] = [];
  readonly #separateUntil = new LRUCache<string, number>({ max: SEPARATE_TENANTS_MAX });
  #isWriting = false;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(statements: AdmissionStatements, monotonic: () => number) {
    this.#statements = statements;
    this.#monotonic = monotonic;
  }

  /** Resolves after COMMIT. Rejects with the error of `kernel.admit`. */
  async admit(admission: AdmissionParameters): Promise<OperationRow> {
    if (this.#isSeparate(admission.tenantId)) return await this.#statements.admitOne(admission);
    return await new Promise((resolve, reject) => {
      this.#pending.push({ admission, resolve, reject });
      this.#writeNext();
    });
  }

  #writeNext(): void {
    if (this.#isWriting || this.#pending.length === 0) return;
    const group = this.#takeGroup();
    this.#isWriting = true;
    let isFinished = false;
    const finish = (): void => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      this.#isWriting = false;
      this.#writeNext();
    };
    const timer = setTimeout(finish, STATEMENT_MAX_MS);
    void this.#write(group).finally(finish);
  }

  /** The oldest admissions, with one token for each tenant. The others keep waiting. */
  #takeGroup(): PendingAdmission[] {
    const tokens = new Map<string, string>();
    const group: PendingAdmission[] = [];
    const remaining: PendingAdmission[] = [];
    for (const one of this.#pending.splice(0)) {
      const { tenantId, tokenId } = one.admission;
      const fits = group.length < GROUP_MAX && (tokens.get(tenantId) ?? tokenId) === tokenId;
      (fits ? group : remaining).push(one);
      if (fits) tokens.set(tenantId, tokenId);
    }
    this.#pending.push(...remaining);
    return group.sort((a, b) => compare(a.admission.tenantId, b.admission.tenantId));
  }

  /**
   * Never rejects. Resolves when the statement of the group has ended. An admission that it doesn't write gets its own
   * statement, which is not awaited here.
   */
  async #write(group: readonly PendingAdmission[]): Promise<void> {
    const [first, ...others] = group;
    if (first === undefined) return;
    if (others.length === 0) return await this.#writeOne(first);
    let rows: readonly (OperationRow | null)[];
    try {
      rows = await this.#statements.admitGroup(group.map(({ admission }) => admission));
    } catch (error) {
      // The result of the group is unknown. Each caller retries with its own operation id.
      if (error instanceof Fault && error.code === 'database.unavailable')
        return group.forEach(({ reject }) => {
          reject(error);
        });
      rows = [];
    }
    group.forEach((one, index) => {
      const row = rows[index] ?? null;
      if (row !== null) return one.resolve(row);
      this.#separateUntil.set(one.admission.tenantId, this.#monotonic() + SEPARATE_MS);
      void this.#writeOne(one);
    });
  }

  async #writeOne({ admission, resolve, reject }: PendingAdmission): Promise<void> {
    try {
      resolve(await this.#statements.admitOne(admission));
    } catch (error) {
      reject(error);
    }
  }

  #isSeparate(tenantId: string): boolean {
    return this.#monotonic() < (this.#separateUntil.get(tenantId) ?? -Infinity);
  }
}

/** Compares by code units, so the order is the same at every replica. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
