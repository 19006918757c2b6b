// SPDX-License-Identifier: Apache-2.0
//
// Plans the starts of a job, as a function of its status. INVARIANT (one start a due time): the result of a due time is
// decided once, and the next due time is later. INVARIANT (one rule): the job's overlap rule decides whether a start
// waits, is skipped or begins, both at due times and on request.
import type { JobPlan, JobStatus } from '../../store/jobs/jobs.ts';
import type { Schedule } from './cron-schedule.ts';

/** A start that is this late is still in time: an orchestrator may need this long to restart. */
export const GRACE_MS = 60_000;
/** Most waiting starts of one job; a caller that queues more is likely in error. */
export const QUEUED_MAX = 10;
/** Runs of one job at once, where they may overlap. */
export const AT_ONCE_MAX = 10;

/**
 * Decides which start of a job is added and whether one begins: at most one due time is handled, and at most one start
 * begins.
 */
export function planStarts(schedule: Schedule, status: JobStatus): JobPlan {
  const { now, due_at, overlap, queued, unended } = status;
  const decision = due_at === null || due_at > now ? null : decideDueTime(schedule, { ...status, due_at });
  const waiting = queued + (decision?.dueStart.state === 'queued' ? 1 : 0);
  const hasRoom = overlap === 'allow' ? unended < AT_ONCE_MAX : unended === 0;
  return {
    dueStart: decision?.dueStart ?? null,
    due_at: decision === null ? due_at : decision.next,
    startsNext: waiting > 0 && hasRoom,
  };
}

type DueDecision = { readonly dueStart: NonNullable<JobPlan['dueStart']>; readonly next: number | null };

function decideDueTime(schedule: Schedule, status: JobStatus & { readonly due_at: number }): DueDecision {
  const { now, due_at, missed } = status;
  const isLate = now - due_at > GRACE_MS;
  // The next due time is the first one that is still in time.
  if (isLate && missed === 'skip')
    return {
      dueStart: { due_at, state: 'missed', reason: null },
      next: schedule.after(Math.max(due_at, now - GRACE_MS)),
    };
  // One run makes up for all missed due times.
  const next = schedule.after(isLate ? now : due_at);
  const reason = skipReason(status);
  return { dueStart: { due_at, state: reason === null ? 'queued' : 'skipped', reason }, next };
}

/** Why a start is skipped; null where it isn't. */
function skipReason({ overlap, queued, unended }: JobStatus): string | null {
  if (overlap === 'skip' && queued + unended > 0) return 'overlap';
  return queued >= QUEUED_MAX ? 'limit.exceeded' : null;
}
