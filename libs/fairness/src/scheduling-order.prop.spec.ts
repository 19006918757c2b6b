// SPDX-License-Identifier: Apache-2.0
import { SCHEDULING_CLASSES, type SchedulingClass } from '@writ/contract';
import fc from 'fast-check';
import { AGES_AFTER_MS, rankOf, schedulingClassOf, type WaitingWork } from './scheduling-order.ts';

const classes = fc.constantFrom(...SCHEDULING_CLASSES);
const work = fc.record({ scheduling_class: classes, arrived_at: fc.nat(1_000_000) });
const modes = fc.constantFrom('interactive' as const, 'gateway' as const, 'scheduled' as const);
const levelOf = (name: SchedulingClass): number => SCHEDULING_CLASSES.indexOf(name);
const callOf = (task_class: string, session_mode: 'interactive' | 'gateway' | 'scheduled') => ({
  task_class,
  session_mode,
});

describe('the order of waiting work within a tenant', () => {
  test('of work that arrives at the same moment, the better class is first, and within a class the earlier is first', () => {
    fc.assert(
      fc.property(work, work, (one, other) => {
        const [better, worse] =
          levelOf(one.scheduling_class) <= levelOf(other.scheduling_class) ? [one, other] : [other, one];
        if (better.scheduling_class === worse.scheduling_class)
          expect(Math.sign(rankOf(one) - rankOf(other))).toBe(Math.sign(one.arrived_at - other.arrived_at));
        else expect(rankOf(better)).toBeLessThan(rankOf({ ...worse, arrived_at: better.arrived_at }));
      }),
    );
  });

  test('work that has waited for the time of its class is before all work that arrives later', () => {
    fc.assert(
      fc.property(work, classes, fc.nat(1_000_000), (old, scheduling_class, after) => {
        const late = { scheduling_class, arrived_at: old.arrived_at + AGES_AFTER_MS[old.scheduling_class] + after + 1 };
        expect(rankOf(old)).toBeLessThan(rankOf(late));
      }),
    );
  });

  test('while one piece of work is served a second, none is served later than its bound, however much else arrives', () => {
    // Each second one arrives and the lowest rank is served, so the queue never drains below what waited at first.
    const runs = fc.record({
      waiting: fc.array(classes, { maxLength: 40 }),
      arriving: fc.array(classes, { minLength: 400, maxLength: 400 }),
    });
    fc.assert(
      fc.property(runs, ({ waiting, arriving }) => {
        const queue: WaitingWork[] = waiting.map((scheduling_class) => ({ scheduling_class, arrived_at: 0 }));
        arriving.forEach((scheduling_class, second) => {
          const now = second * 1_000;
          queue.push({ scheduling_class, arrived_at: now });
          queue.sort((a, b) => rankOf(a) - rankOf(b));
          const served = queue.shift() as WaitingWork;
          // Only what arrived before it aged can be served before it: the queue that it found, and one a second since.
          const bound = AGES_AFTER_MS[served.scheduling_class] + (waiting.length + 1) * 1_000;
          expect(now - served.arrived_at).toBeLessThanOrEqual(bound);
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe('the scheduling class of a call', () => {
  it.each([
    ['general', 'interactive', 'interactive'],
    ['general', 'gateway', 'interactive'],
    ['general', 'scheduled', 'background'],
    ['background', 'interactive', 'background'],
    ['maintenance', 'scheduled', 'maintenance'],
    ['background.reindex', 'interactive', 'background'],
    ['backgrounds', 'interactive', 'interactive'],
    ['interactive', 'scheduled', 'background'],
    ['interactive.chat', 'scheduled', 'background'],
  ] as const)('of task class `%s` in a session of mode %s is %s', (task_class, session_mode, expected) => {
    expect(schedulingClassOf(callOf(task_class, session_mode))).toBe(expected);
  });

  test('is never above that of its session mode, whatever the task class is', () => {
    fc.assert(
      fc.property(fc.oneof(classes, fc.stringMatching(/^[a-z0-9_.-]{1,64}$/)), modes, (task_class, session_mode) => {
        const own = schedulingClassOf(callOf(task_class, session_mode));
        expect(levelOf(own)).toBeGreaterThanOrEqual(levelOf(schedulingClassOf(callOf('general', session_mode))));
      }),
    );
  });

  it('is the one that the definition of a job names, in its scheduled sessions too', () => {
    expect(schedulingClassOf({ ...callOf('general', 'scheduled'), scheduling_class: 'interactive' })).toBe(
      'interactive',
    );
    expect(schedulingClassOf({ ...callOf('general', 'scheduled'), scheduling_class: 'maintenance' })).toBe(
      'maintenance',
    );
  });
});
