// SPDX-License-Identifier: Apache-2.0

/** `not_applicable` says why, and never counts as a pass. */
export type Verdict = 'pass' | 'fail' | 'not_applicable';

/** What a check found, in words. */
export interface Finding {
  readonly verdict: Verdict;
  /** false: the check did not run to its end, and shows neither that the promise is kept nor that it is broken */
  readonly made: boolean;
  readonly evidence: string;
}

/** The promise is not kept; the message is the evidence. */
export class Broken extends Error {
  constructor(evidence: string) {
    super(evidence);
    this.name = 'Broken';
  }
}

/** There is nothing here that the promise is about; the message is the reason. */
export class NotApplicable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotApplicable';
  }
}

/** What the check builds on did not happen, so it says nothing about its promise; the message is the reason. */
export class NotMade extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotMade';
  }
}

/** @throws Broken with this evidence unless the promise is kept */
export function demand(isKept: boolean, evidence: string): asserts isKept {
  if (!isKept) throw new Broken(evidence);
}
