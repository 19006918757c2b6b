// SPDX-License-Identifier: Apache-2.0
import type { World } from './world.ts';

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
