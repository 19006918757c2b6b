// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { isSameHash } from '@writ/merkle';
import type { NoteKey } from '@writ/signing';
import type { Findings } from './findings.ts';

/** A root that a ledger signed, from its memory file. */
export interface SignedRoot {
  readonly treeSize: number;
  readonly root: Uint8Array;
}

/** Data about logs from outside of the database: it shows deletions that the remaining rows can't show. */
export interface Reported {
  /** by log */
  readonly signed: ReadonlyMap<string, readonly SignedRoot[]>;
  /** witnesses whose cosignatures are verified */
  readonly witnesses: readonly NoteKey[];
}

export const NOTHING_TOLD: Reported = { signed: new Map(), witnesses: [] };

const LINE = /^(log_[0-9a-z]{26}) ten_[0-9a-z]{26} (\d{1,16}) ([0-9a-f]{64})$/;

/**
 * Reads memory files of ledgers (`WRIT_LEDGER_MEMORY_FILE` of each replica): one line for each signature, with log,
 * tenant, size and root. An incomplete last line was being written: its signature was never sent.
 *
 * @throws Error with file and line of an invalid entry
 */
export function readSigned(paths: readonly string[]): ReadonlyMap<string, readonly SignedRoot[]> {
  const signed = new Map<string, SignedRoot[]>();
  for (const path of paths) {
    for (const [i, line] of readFileSync(path, 'utf8').split('\n').slice(0, -1).entries()) {
      const [, logId, size, root] = LINE.exec(line) ?? [];
      if (logId === undefined || root === undefined)
        throw new Error(`line ${i + 1} of \`${path}\` is no root that a ledger signed`);
      signed.set(logId, [...(signed.get(logId) ?? []), { treeSize: Number(size), root: Buffer.from(root, 'hex') }]);
    }
  }
  return signed;
}

/** Compares the signed roots with the roots of the leaves, during the replay. */
export class SignedCheck {
  readonly #open: Map<number, SignedRoot[]>;
  readonly #findings: Findings;

  constructor(signed: readonly SignedRoot[], findings: Findings) {
    this.#open = Map.groupBy(signed, ({ treeSize }) => treeSize);
    this.#findings = findings;
  }

  /** `root` is computed from the leaves. */
  take(treeSize: number, root: Uint8Array): void {
    for (const one of this.#open.get(treeSize) ?? [])
      this.#findings.demand(
        isSameHash(one.root, root),
        `signed ${treeSize}`,
        'the ledger signed another root of this size than the leaves give',
      );
    this.#open.delete(treeSize);
  }

  finish(leaves: number): void {
    for (const size of [...this.#open.keys()].sort((a, b) => a - b)) {
      this.#findings.add(
        `signed ${size}`,
        size > leaves
          ? `the ledger signed ${size} leaves, and ${size - leaves} of them are gone`
          : 'the ledger signed a root of this size, and none is stored',
      );
    }
  }
}
