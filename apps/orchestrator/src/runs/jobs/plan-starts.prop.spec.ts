// SPDX-License-Identifier: Apache-2.0
//
// Jobs under a simulated clock: orchestrators start and stop, and runs end at any time.
import fc from 'fast-check';
import type { JobPlan, JobStatus } from '../../store/jobs/jobs.ts';
import { AT_ONCE_MAX, GRACE_MS, planStarts, QUEUED_MAX } from './plan-starts.ts';
import { parseSchedule } from './cron-schedule.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-28T12:00:00Z');
const CRONS = ['* * * * *', '*/7 * * * *', '0 * * * *', '30 2 * * *', '@daily'] as const;

interface RecordedDueTime {
  readonly due_at: number;
  state: string;
  ended: boolean;
}
/** The history of a job: its due times as they were recorded, in order. */
class JobSimulation {
  readonly told: RecordedDueTime[] = [];
  readonly started: number[] = [];
  now = START;
  due_at: number | null;

  constructor(readonly rules: Pick<JobStatus, 'cron' | 'time_zone' | 'overlap' | 'missed'>) {
    this.due_at = this.schedule.after(START);
  }

  get schedule() {
    return parseSchedule(this.rules.cron, this.rules.time_zone, START);
  }

  unended(): RecordedDueTime[] {
    return this.told.filter(({ state, ended }) => state === 'started' && !ended);
  }

  take(): JobPlan {
    const queued = this.told.filter(({ state }) => state === 'queued').length;
    const plan = planStarts(this.schedule, {
      ...this.rules,
      now: this.now,
      due_at: this.due_at,
      queued,
      unended: this.unended().length,
    });
    if (plan.dueStart !== null) this.told.push({ ...plan.dueStart, ended: false });
    this.due_at = plan.due_at;
    const next = this.told.find(({ state }) => state === 'queued');
    if (plan.startsNext && next !== undefined) {
      next.state = 'started';
      this.started.push(next.due_at);
    }
    return plan;
  }

  /** An orchestrator processes the job until nothing is left to do. */
  settle(): void {
    for (let looks = 0; looks < 10_000; looks += 1) {
      const { dueStart, startsNext } = this.take();
      if (dueStart === null && !startsNext) return;
    }
    throw new Error('it never comes to rest');
  }
}

const rules = fc.record({
  cron: fc.constantFrom(...CRONS),
  time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York'),
  overlap: fc.constantFrom('skip' as const, 'queue' as const, 'allow' as const),
  missed: fc.constantFrom('skip' as const, 'run_once' as const),
});
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('look' as const), ms: fc.integer({ min: 1, max: 2 * MINUTE }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('nobody' as const),
      ms: fc.integer({ min: MINUTE, max: 3 * 24 * 60 * MINUTE }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), ms: fc.constant(0) }) },
);

it('a due time is recorded once, in order, and starts at most once, under any rules and outages', () => {
  fc.assert(
    fc.property(rules, fc.array(act, { maxLength: 60 }), (of, acts) => {
      const play = new JobSimulation(of);
      for (const { kind, ms } of acts) {
        play.now += ms;
        if (kind === 'end') {
          const [first] = play.unended();
          if (first !== undefined) first.ended = true;
        }
        if (kind !== 'nobody') play.settle();
        const dues = play.told.map(({ due_at }) => due_at);
        expect(dues).toEqual([...new Set(dues)].sort((a, b) => a - b));
        expect(new Set(play.started).size).toBe(play.started.length);
        expect(dues.every((due) => due <= play.now && play.schedule.after(due - 1) === due)).toBe(true);
        expect(play.unended().length).toBeLessThanOrEqual(of.overlap === 'allow' ? AT_ONCE_MAX : 1);
        expect(play.told.filter(({ state }) => state === 'queued').length).toBeLessThanOrEqual(QUEUED_MAX);
        if (kind !== 'nobody' && play.due_at !== null) expect(play.due_at).toBeGreaterThan(play.now);
      }
    }),
  );
});

it('with a running orchestrator, no due time is missed', () => {
  fc.assert(
    fc.property(
      rules,
      fc.array(fc.integer({ min: 1, max: GRACE_MS - 1 }), { minLength: 1, maxLength: 200 }),
      (of, pauses) => {
        const play = new JobSimulation(of);
        for (const pause of pauses) {
          play.now += pause;
          play.settle();
        }
        const all: number[] = [];
        for (let at = play.schedule.after(START); at !== null && at <= play.now; at = play.schedule.after(at))
          all.push(at);
        expect(play.told.map(({ due_at }) => due_at)).toEqual(all);
        expect(play.told.filter(({ state }) => state === 'missed')).toEqual([]);
      },
    ),
  );
});

describe('after a day without an orchestrator', () => {
  const away = (missed: 'skip' | 'run_once') => {
    const play = new JobSimulation({ cron: '0 * * * *', time_zone: 'UTC', overlap: 'skip', missed });
    play.now += 24 * 60 * MINUTE + MINUTE / 2;
    play.settle();
    return play;
  };

  it('missed due times do not start, and one that is still in time does', () => {
    expect(away('skip').told.map(({ state }) => state)).toEqual(['missed', 'started']);
  });

  it('one run makes up for all missed due times', () => {
    const play = away('run_once');
    expect([play.told.map(({ state }) => state), play.due_at]).toEqual([
      ['started'],
      Date.parse('2026-03-29T13:00:00Z'),
    ]);
  });
});

it('the overlap rule decides whether a start is skipped, waits, or runs concurrently', () => {
  const after = (overlap: 'skip' | 'queue' | 'allow') => {
    const play = new JobSimulation({ cron: '* * * * *', time_zone: 'UTC', overlap, missed: 'skip' });
    for (let n = 0; n < 3; n += 1) {
      play.now += MINUTE;
      play.settle();
    }
    const before = play.told.map(({ state }) => state);
    for (const told of play.unended()) told.ended = true;
    play.settle();
    return [before, play.started.length];
  };
  expect(after('skip')).toEqual([['started', 'skipped', 'skipped'], 1]);
  expect(after('queue')).toEqual([['started', 'queued', 'queued'], 2]);
  expect(after('allow')).toEqual([['started', 'started', 'started'], 3]);
});
