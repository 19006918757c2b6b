// SPDX-License-Identifier: Apache-2.0
import { OwnTime } from './orchestration-overhead.ts';

function clocked() {
  const told: number[] = [];
  const clock = { now: 1_000 };
  return {
    told,
    pass: (ms: number) => {
      clock.now += ms;
    },
    own: new OwnTime(
      () => clock.now,
      (ms) => told.push(ms),
    ),
  };
}

test("a round's own time is what nobody else was waited for", () => {
  const { own, told, pass } = clocked();
  own.asked();
  pass(2_000);
  own.replied();
  pass(3);
  own.began();
  pass(500);
  own.ended();
  pass(4);
  own.asked();
  expect(told).toEqual([7]);
});

test('calls at once are waited for together, and a call that is asked for again counts its pause', () => {
  const { own, told, pass } = clocked();
  own.replied();
  for (const ms of [1, 10]) {
    pass(ms);
    own.began();
  }
  pass(100);
  own.ended();
  pass(100);
  // A third one, while the second is away.
  own.began();
  own.ended();
  pass(100);
  own.ended();
  pass(2);
  own.began();
  pass(100);
  own.ended();
  pass(5);
  own.asked();
  // Ten of them went by while the first call was away.
  expect(told).toEqual([8]);
});

test('a round without calls, and a reply that failed, say nothing', () => {
  const { own, told, pass } = clocked();
  own.replied();
  pass(5);
  own.asked();
  pass(5);
  own.asked();
  expect(told).toEqual([]);
});
