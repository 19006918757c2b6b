// SPDX-License-Identifier: Apache-2.0
import { SCHEDULING_CLASSES, type ProposedCall, type SchedulingClass } from '@writ/contract';

/**
 * Milliseconds after which a waiting call of the class ranks like an interactive call that arrives then. This bounds
 * how long calls of a better class can go before it, so that none starves. `kernel.dispatch_by_class` has the same
 * numbers. A person who waits for an answer gives up after half a minute, so background work may take that long.
 */
export const AGES_AFTER_MS: Readonly<Record<SchedulingClass, number>> = {
  interactive: 0,
  background: 30_000,
  maintenance: 300_000,
};

/** Work that waits for its turn. */
export interface WaitingWork {
  readonly scheduling_class: SchedulingClass;
  /** milliseconds, on any one clock */
  readonly arrived_at: number;
}

/**
 * The rank of waiting work among that of its tenant: the lowest is served first. INVARIANT (ranks stand still): it
 * doesn't depend on the time of the look. So work that was once before other work stays before it, and an index can be
 * in this order.
 */
export const rankOf = ({ scheduling_class, arrived_at }: WaitingWork): number =>
  arrived_at + AGES_AFTER_MS[scheduling_class];

const isClass = (word: string | undefined): word is SchedulingClass => SCHEDULING_CLASSES.some((name) => name === word);

/**
 * The scheduling class of a call (ADR 0113). A class that the proposal names counts, since only the definition of a job
 * makes it name one. Else the first word of the task class counts, if it is a class (`background.reindex`), else the
 * session mode. INVARIANT (only lower): a scheduled session's task class makes no call interactive.
 */
export function schedulingClassOf(
  call: Pick<ProposedCall, 'task_class' | 'session_mode' | 'scheduling_class'>,
): SchedulingClass {
  if (call.scheduling_class !== undefined) return call.scheduling_class;
  const isScheduled = call.session_mode === 'scheduled';
  const [word] = call.task_class.split('.', 1);
  if (isClass(word) && !(isScheduled && word === 'interactive')) return word;
  return isScheduled ? 'background' : 'interactive';
}
