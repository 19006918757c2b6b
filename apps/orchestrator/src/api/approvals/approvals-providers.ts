// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { BlobStore } from '@writ/blobs';
import { provideBy, provideClass } from '@writ/nest-kit';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { OtherNames } from '../../calls/other-names.ts';
import { WorkerTasks } from '../../edge/work/worker-tasks.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import { Sessions } from '../../store/session-rows/sessions.ts';
import { Delegate } from './delegate.ts';
import { ReadApproval } from './read-approval.ts';
import { ShowDiff } from './show-diff.ts';
import { TraceStart } from './trace-start.ts';

/** Provides what shows approvals, and what lends the right to give one. */
export const approvalsProviders: readonly Provider[] = [
  provideClass(Delegate, KernelClient, ApiKeys),
  provideClass(TraceStart, ApiKeys, Sessions),
  provideClass(ReadApproval, KernelClient, OtherNames, TraceStart),
  provideBy(
    ShowDiff,
    [KernelClient, BlobStore, WorkerTasks],
    (kernel, blobs, tasks) => new ShowDiff(kernel, { blobs, tasks }),
  ),
];
