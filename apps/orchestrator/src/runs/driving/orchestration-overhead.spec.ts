// SPDX-License-Identifier: Apache-2.0
import { OrchestrationOverhead } from './orchestration-overhead.ts';

function clocked() {
  const told: number[] = [];
  const clock = { now: 1_000 };
  return {
    told,
    pass: (ms: number) => {
      clock.now += ms;
    },
    overhead: new OrchestrationOverhead(
      () => clock.now,
      (ms) => told.push(ms),
    ),
  };
}

test('the overhead of a round excludes waiting for calls', () => {
  const { overhead, told, pass } = clocked();
  overhead.requested();
  pass(2_000);
  overhead.replied();
  pass(3);
  overhead.began();
  pass(500);
  overhead.ended();
  pass(4);
  overhead.requested();
  expect(told).toEqual([7]);
});

test('concurrent calls count as one wait, and the pause before a repeated call counts as overhead', () => {
  const { overhead, told, pass } = clocked();
  overhead.replied();
  for (const ms of [1, 10]) {
    pass(ms);
    overhead.began();
  }
  pass(100);
  overhead.ended();
  pass(100);
  // A third one, while the second is away.
  overhead.began();
  overhead.ended();
  pass(100);
  overhead.ended();
  pass(2);
  overhead.began();
  pass(100);
  overhead.ended();
  pass(5);
  overhead.requested();
  // Ten of them went by while the first call was away.
  expect(told).toEqual([8]);
});

test('a round without calls and a failed reply are not measured', () => {
  const { overhead, told, pass } = clocked();
  overhead.replied();
  pass(5);
  overhead.requested();
  pass(5);
  overhead.requested();
  expect(told).toEqual([]);
});
