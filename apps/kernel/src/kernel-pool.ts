// SPDX-License-Identifier: Apache-2.0
import { GIT_BYTES_MAX } from '@writ/effect';
import { WorkerPool, type WorkerPoolOptions } from '@writ/worker-pool';
import type { KernelTasks } from './kernel.worker.ts';

/** Files of repositories have their own bound; their names and numbers add at most a quarter. */
const GIT_INPUT_BYTES = GIT_BYTES_MAX * 1.25;
const INPUT_BYTES_MAX = { 'git.history': GIT_INPUT_BYTES, 'git.kept': GIT_INPUT_BYTES, 'git.stashes': GIT_INPUT_BYTES };

/** The worker threads of this service, for work whose cost the caller's input decides. */
export class KernelPool extends WorkerPool<KernelTasks> {
  constructor(options: Omit<WorkerPoolOptions, 'inputBytesMax'>) {
    super({ ...options, inputBytesMax: INPUT_BYTES_MAX });
  }
}
