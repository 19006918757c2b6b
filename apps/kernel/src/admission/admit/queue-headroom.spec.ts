// SPDX-License-Identifier: Apache-2.0
import { HEADROOM_CALLS, HEADROOM_MS, QueueHeadroom } from './queue-headroom.ts';

let clock = 0;
let headroom: QueueHeadroom;
beforeEach(() => {
  clock = 0;
  headroom = new QueueHeadroom(() => clock);
});

/** Calls that use headroom before the database must count again. */
const usedUntilCount = (tenant: string): number => {
  for (let calls = 0; ; calls += 1) if (headroom.reserve(tenant) !== null) return calls;
};

describe('the queue headroom of a tenant', () => {
  it('must be found before the first call, for 16 calls', () => {
    expect(headroom.reserve('ten_a')).toBe(HEADROOM_CALLS);
    expect(headroom.reserve('ten_a')).toBe(HEADROOM_CALLS);
  });

  it('lasts for as many calls as the database found room for, including the first', () => {
    headroom.found('ten_a', HEADROOM_CALLS, clock);
    expect(usedUntilCount('ten_a')).toBe(HEADROOM_CALLS - 1);
    expect(usedUntilCount('ten_a')).toBe(0);
  });

  it('lasts for one second after the count', () => {
    headroom.found('ten_a', HEADROOM_CALLS, clock);
    clock = HEADROOM_MS;
    expect(headroom.reserve('ten_a')).toBeNull();
    clock += 1;
    expect(headroom.reserve('ten_a')).toBe(HEADROOM_CALLS);
  });

  it('is not shared with another tenant', () => {
    headroom.found('ten_a', HEADROOM_CALLS, clock);
    expect(headroom.reserve('ten_b')).toBe(HEADROOM_CALLS);
  });

  it('is replaced by a new count, not increased', () => {
    headroom.found('ten_a', HEADROOM_CALLS, clock);
    headroom.found('ten_a', HEADROOM_CALLS, clock);
    expect(usedUntilCount('ten_a')).toBe(HEADROOM_CALLS - 1);
  });
});
