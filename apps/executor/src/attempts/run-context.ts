// SPDX-License-Identifier: Apache-2.0
import { Fault, type UnmetNeed } from '@writ/contract';
import type { TaskRunner } from '@writ/worker-pool';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import type { RunContext } from '../calls/runner.ts';
import { callWork } from '../foundation/call-work.ts';
import { KernelClient, type AttemptCredentials } from '../foundation/kernel-client.ts';
import { Lease } from './lease.ts';

/** Timeout of one request: long enough for a busy kernel, and short enough for three tries within a permit's life. */
export const REPLY_TIMEOUT_MS = 5_000;
/** Timeout of a confirmation: the gate can't send on a later answer, and asks again instead. */
const CONFIRM_TIMEOUT_MS = 1_000;
/** Timeout of an announcement: one that was lost is repeated several times before the gate gives up. */
const ANNOUNCE_TIMEOUT_MS = 2_000;
/** As many entries as a report may have in `asked_for`. */
const ASKED_FOR_MAX = 64;

/** The parts of the executor that a call's context uses. */
export interface RunServices {
  readonly kernel: KernelClient;
  readonly work: TaskRunner<ExecutorTasks>;
  /** a monotonic clock in milliseconds */
  readonly monotonic: () => number;
}

/**
 * The context of one attempt: what its call may ask of the kernel while it runs. `needs` collects what a preview lacks.
 *
 * INVARIANT (a preview stays inside): a preview that would begin an external effect gets a refusal and continues
 * without it. The report lists what the preview requested.
 */
export function runContextOf(
  { kernel, work, monotonic }: RunServices,
  credentials: AttemptCredentials,
  lease: Lease,
  needs: UnmetNeed[],
): RunContext {
  const recordNeed = (what: string, kind: UnmetNeed['kind'] = 'egress'): void => {
    if (needs.length < ASKED_FOR_MAX) needs.push({ kind, what });
  };
  return {
    signal: lease.signal,
    work: callWork(work, credentials.tenant_id, lease.signal),
    mode: credentials.mode,
    recordNeed,
    confirmMayContinue: async (announced) => {
      lease.verifyHeld();
      const requestedAt = monotonic();
      lease.renewed(requestedAt, await kernel.renew(credentials, Math.min(CONFIRM_TIMEOUT_MS, lease.left), announced));
      lease.verifyHeld();
    },
    attachShell: (opens, shellId) =>
      kernel.attachShell(credentials, opens, shellId, Math.min(REPLY_TIMEOUT_MS, Math.max(1, lease.left))),
    endShell: (shellId, ending) =>
      kernel.endShell(
        { tenant_id: credentials.tenant_id, executor_id: credentials.executor_id, shell_id: shellId },
        ending,
        REPLY_TIMEOUT_MS,
      ),
    announceEffectStarted: async (announced) => {
      lease.verifyHeld();
      if (credentials.mode === 'preview') {
        recordNeed('an effect outside');
        throw new Fault('tool.not_available', 'a preview has no effect outside');
      }
      const requestedAt = monotonic();
      lease.renewed(
        requestedAt,
        await kernel.effectStarted(credentials, Math.min(ANNOUNCE_TIMEOUT_MS, lease.left), announced),
      );
      lease.verifyHeld();
    },
  };
}
