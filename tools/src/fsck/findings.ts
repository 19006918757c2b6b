// SPDX-License-Identifier: Apache-2.0

/** Something that is not as it was written. */
export interface Finding {
  /** The row: its table and its place in the log. */
  readonly where: string;
  readonly what: string;
}

/** What a check of one log says. */
export interface LogReport {
  readonly logId: string;
  readonly leaves: number;
  readonly roots: number;
  readonly tiles: number;
  readonly checkpoints: number;
  /** Those of them that are good, by the leaves alone: the key that signed them was revoked since. */
  readonly checkpointsByRevoked: number;
  readonly findings: readonly Finding[];
  /** How many there were; only the first are kept. */
  readonly findingCount: number;
}

/** One wrong byte early in a log makes everything after it wrong: more than this tells nobody more. */
const FINDINGS_KEPT = 50;

/** Collects what is wrong with one log. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;

  add(where: string, what: string): void {
    this.count += 1;
    if (this.kept.length < FINDINGS_KEPT) this.kept.push({ where, what });
  }

  /** Adds a finding unless it is so. */
  demand(isSo: boolean, where: string, what: string): void {
    if (!isSo) this.add(where, what);
  }
}
