// SPDX-License-Identifier: Apache-2.0
import { ROOM_CALLS, ROOM_MS, QueueHeadroom } from './queue-headroom.ts';

let clock = 0;
let rooms: QueueHeadroom;
beforeEach(() => {
  clock = 0;
  rooms = new QueueHeadroom(() => clock);
});

/** Calls that get in before the database must be asked again. */
const takenUntilAsked = (tenant: string): number => {
  for (let calls = 0; ; calls += 1) if (rooms.take(tenant) !== null) return calls;
};

describe('room for the calls of a tenant', () => {
  it('must be found before the first call, for it and the next fifteen', () => {
    expect(rooms.take('ten_a')).toBe(ROOM_CALLS);
    expect(rooms.take('ten_a')).toBe(ROOM_CALLS);
  });

  it('lasts for as many calls as were found room for, the one that asked among them', () => {
    rooms.found('ten_a', ROOM_CALLS, clock);
    expect(takenUntilAsked('ten_a')).toBe(ROOM_CALLS - 1);
    expect(takenUntilAsked('ten_a')).toBe(0);
  });

  it('lasts for a second since it was asked for', () => {
    rooms.found('ten_a', ROOM_CALLS, clock);
    clock = ROOM_MS;
    expect(rooms.take('ten_a')).toBeNull();
    clock += 1;
    expect(rooms.take('ten_a')).toBe(ROOM_CALLS);
  });

  it("is no other tenant's", () => {
    rooms.found('ten_a', ROOM_CALLS, clock);
    expect(rooms.take('ten_b')).toBe(ROOM_CALLS);
  });

  it("doesn't add up: what is found anew replaces what was left", () => {
    rooms.found('ten_a', ROOM_CALLS, clock);
    rooms.found('ten_a', ROOM_CALLS, clock);
    expect(takenUntilAsked('ten_a')).toBe(ROOM_CALLS - 1);
  });
});
