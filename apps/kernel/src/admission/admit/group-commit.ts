// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { Admission, AdmissionStatements } from './admission-statements.ts';

/**
 * Admissions of one statement at most: what each of them has locked it holds until the last of them is written, each
 * about a millisecond.
 */
export const GROUP_MAX = 16;
/**
 * How long a statement keeps others waiting, in milliseconds: longer than a whole group takes. One that takes longer
 * waits for a lock or a disk, and the next goes on beside it.
 */
export const AHEAD_MS = 25;
/**
 * How long the calls of a tenant are written each by itself, after one that couldn't be written in a group, in
 * milliseconds. What it waited for in vain, others have waited for too.
 */
export const APART_MS = 1_000;
/** Tenants of which that is remembered. */
const APART_MAX = 10_000;

interface Waiting {
  readonly admission: Admission;
  readonly resolve: (row: OperationRow) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit (ADR 0081): what arrives while a statement is under way is written together by the next one, and what
 * arrives alone is written at once. There is no timer that a call waits for. INVARIANT (each for itself): one that
 * can't be written in a group takes nothing from the others, and is then written by itself, which says why it can't be.
 * INVARIANT (one order of locks): of a tenant a group has calls of one token, whose budgets are the same, and its
 * tenants are in the order of their ids.
 */
export class AdmissionGroupCommit {
  readonly #statements: AdmissionStatements;
  readonly #monotonic: () => number;
  readonly #waiting: Waiting[] = [];
  readonly #apartUntil = new LRUCache<string, number>({ max: APART_MAX });
  #isAhead = false;

  /** @param monotonic milliseconds of a clock that is never set */
  constructor(statements: AdmissionStatements, monotonic: () => number) {
    this.#statements = statements;
    this.#monotonic = monotonic;
  }

  /** Resolves after COMMIT. Rejects as `kernel.admit` does by itself. */
  async admit(admission: Admission): Promise<OperationRow> {
    if (this.#isApart(admission.tenantId)) return await this.#statements.alone(admission);
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ admission, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#isAhead || this.#waiting.length === 0) return;
    const group = this.#take();
    this.#isAhead = true;
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#isAhead = false;
      this.#next();
    };
    const timer = setTimeout(over, AHEAD_MS);
    void this.#write(group).finally(over);
  }

  /** Who came first, of each tenant those of one token; the others stay. */
  #take(): Waiting[] {
    const tokens = new Map<string, string>();
    const group: Waiting[] = [];
    const left: Waiting[] = [];
    for (const one of this.#waiting.splice(0)) {
      const { tenantId, tokenId } = one.admission;
      const fits = group.length < GROUP_MAX && (tokens.get(tenantId) ?? tokenId) === tokenId;
      (fits ? group : left).push(one);
      if (fits) tokens.set(tenantId, tokenId);
    }
    this.#waiting.push(...left);
    return group.sort((a, b) => compare(a.admission.tenantId, b.admission.tenantId));
  }

  /**
   * Never rejects. Resolves when the statement of the group has ended; whoever isn't written by it has one of its own,
   * which is not waited for.
   */
  async #write(group: readonly Waiting[]): Promise<void> {
    const [first, ...others] = group;
    if (first === undefined) return;
    if (others.length === 0) return await this.#writeAlone(first);
    let rows: readonly (OperationRow | null)[];
    try {
      rows = await this.#statements.together(group.map(({ admission }) => admission));
    } catch (error) {
      // Nobody knows what became of it: each is asked again by its own operation id.
      if (error instanceof Fault && error.code === 'database.unavailable')
        return group.forEach(({ reject }) => {
          reject(error);
        });
      rows = [];
    }
    group.forEach((one, index) => {
      const row = rows[index] ?? null;
      if (row !== null) return one.resolve(row);
      this.#apartUntil.set(one.admission.tenantId, this.#monotonic() + APART_MS);
      void this.#writeAlone(one);
    });
  }

  async #writeAlone({ admission, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#statements.alone(admission));
    } catch (error) {
      reject(error);
    }
  }

  #isApart(tenantId: string): boolean {
    return this.#monotonic() < (this.#apartUntil.get(tenantId) ?? -Infinity);
  }
}

/** By their code units: the same order at every replica. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
