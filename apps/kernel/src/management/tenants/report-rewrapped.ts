// SPDX-License-Identifier: Apache-2.0
import type { ProcessContext } from '@writ/nest-kit';
import type { Rewrapped } from './rewrap-keys.ts';

/** Tells operators whose keys are under another master key now, or could not be. */
export function reportRewrapped(logger: ProcessContext['logger'], { done, unopened }: Rewrapped): void {
  if (done > 0) logger.info({ tenants: done }, 'keys of tenants were re-wrapped under the current master key');
  if (unopened.length > 0)
    logger.error(
      { tenants: unopened.length, first: unopened[0] },
      'keys of tenants are under a master key that is not configured: set WRIT_MASTER_KEY_BEFORE_FILE',
    );
}
