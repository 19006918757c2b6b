// SPDX-License-Identifier: Apache-2.0
import type { World } from './world.ts';

/** `not_applicable` says why, and never counts as a pass. */
export type Verdict = 'pass' | 'fail' | 'not_applicable';

/** What a check found, in words. */
export interface Finding {
  readonly verdict: Verdict;
  /** false: the check did not run to its end, and shows neither that the promise is kept nor that it is broken */
  readonly made: boolean;
  readonly evidence: string;
}

/** One promise of an installation, and how to see whether it is kept. */
export interface Check {
  readonly id: string;
  /** the promise, as a sentence */
  readonly invariant: string;
  /** without its pass, the installation doesn't count as healthy */
  readonly obligatory: boolean;
  /**
   * Resolves with the evidence where the promise is kept.
   * @throws Broken where it isn't, and NotApplicable where the installation has nothing that it is about. Any other
   * error says that the check could not be made, which is a failure.
   */
  readonly run: (world: World) => Promise<string>;
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
