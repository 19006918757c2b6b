// SPDX-License-Identifier: Apache-2.0

/** A difference between stored and expected data. */
export interface Finding {
  /** The row: its table and its index in the log. */
  readonly where: string;
  readonly what: string;
}

/** The result of the check of one log. */
export interface LogReport {
  readonly logId: string;
  readonly leaves: number;
  readonly roots: number;
  readonly tiles: number;
  readonly checkpoints: number;
  /** The number of correct checkpoints whose key was revoked since. */
  readonly checkpointsByRevoked: number;
  readonly findings: readonly Finding[];
  /** The number of all findings; only the first are kept. */
  readonly findingCount: number;
}

/** One wrong byte early in a log makes everything after it wrong: more findings don't help. */
const FINDINGS_KEPT = 50;

/** Collects the findings of one log. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;

  add(where: string, what: string): void {
    this.count += 1;
    if (this.kept.length < FINDINGS_KEPT) this.kept.push({ where, what });
  }

  /** Adds a finding unless the condition holds. */
  demand(isSo: boolean, where: string, what: string): void {
    if (!isSo) this.add(where, what);
  }
}
