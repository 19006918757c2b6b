// SPDX-License-Identifier: Apache-2.0
//
// What the clock makes of a job, as a function of how the job stands. INVARIANT (one start a due time): a due time is
// said once what becomes of it, and the next one is later. INVARIANT (one rule): a start waits, is left out or goes by
// the job's overlap rule, whoever asked for it.
import type { JobPlan, JobStanding } from '../../store/jobs/jobs.ts';
import type { Schedule } from './schedule.ts';

/** So late a start still is in time: what an orchestrator takes to come back. */
export const GRACE_MS = 60_000;
/** Starts of one job that wait: who queues more has lost count. */
export const QUEUED_MAX = 10;
/** Runs of one job at once, where they may overlap. */
export const AT_ONCE_MAX = 10;

/** Decides what becomes of a job now: at most one due time is told, and at most one start goes. */
export function planStarts(schedule: Schedule, standing: JobStanding): JobPlan {
  const { now, due_at, overlap, queued, unended } = standing;
  const came = due_at === null || due_at > now ? null : comeDue(schedule, { ...standing, due_at });
  const waiting = queued + (came?.told.state === 'queued' ? 1 : 0);
  const hasRoom = overlap === 'allow' ? unended < AT_ONCE_MAX : unended === 0;
  return { told: came?.told ?? null, due_at: came === null ? due_at : came.next, starts: waiting > 0 && hasRoom };
}

type Came = { readonly told: NonNullable<JobPlan['told']>; readonly next: number | null };

function comeDue(schedule: Schedule, standing: JobStanding & { readonly due_at: number }): Came {
  const { now, due_at, missed } = standing;
  const isLate = now - due_at > GRACE_MS;
  // After what was missed comes the first that is still in time.
  if (isLate && missed === 'skip')
    return { told: { due_at, state: 'missed', reason: null }, next: schedule.after(Math.max(due_at, now - GRACE_MS)) };
  // One run makes up for all that was missed, however much that was.
  const next = schedule.after(isLate ? now : due_at);
  const reason = leftOut(standing);
  return { told: { due_at, state: reason === null ? 'queued' : 'skipped', reason }, next };
}

/** Why a start is left out; null where it isn't. */
function leftOut({ overlap, queued, unended }: JobStanding): string | null {
  if (overlap === 'skip' && queued + unended > 0) return 'overlap';
  return queued >= QUEUED_MAX ? 'limit.exceeded' : null;
}
