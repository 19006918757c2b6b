// SPDX-License-Identifier: Apache-2.0
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import type { TaskRunner } from '@writ/worker-pool';
import { EffectExaminer, StoredDeltas } from '../execution/effects/index.ts';
import type { BelowExecution, Execution } from '../execution/execution.module.ts';
import type { ExecutionTasks } from '../execution/worker-tasks.ts';
import { RecordedEffects } from './what-if/index.ts';

/**
 * Cache of backtests for tree nodes and small files, in bytes: pages of two tenants, whose states share most of their
 * nodes.
 */
const PAST_CACHE_BYTES = 16 * 1024 * 1024;
/** Changes of past effects that backtests cache: some 8 MB. */
const PAST_CHANGES_MAX = 20_000;
/**
 * The queue name of all backtests for worker threads and large readings. They count as one tenant, so they leave
 * capacity for calls.
 */
const BACKTESTS = 'backtests';

/**
 * The examiner of effects for backtests. It has separate caches, since a whole history passes through them. It shares
 * the limiter of large readings with commits.
 */
export function pastEffects(
  stored: BlobStore,
  { tenants, args, largeReadings }: BelowExecution & Pick<Execution, 'largeReadings'>,
  work: TaskRunner<ExecutionTasks>,
): RecordedEffects {
  const blobs = cachedBlobs(stored, { bytesMax: PAST_CACHE_BYTES });
  const options = { large: largeReadings, seriesChangesMax: PAST_CHANGES_MAX, queuedAs: BACKTESTS };
  const examiner = new EffectExaminer(blobs, tenants, work, options);
  const deltas = new StoredDeltas(blobs, work, BACKTESTS);
  return new RecordedEffects({ tenants, args, deltas, examiner });
}
