// SPDX-License-Identifier: Apache-2.0
import { reservationRows } from './decision.ts';

describe('reservations, as kernel.reserve takes them', () => {
  it('have one row per token and dimension, in the order of both', () => {
    expect(
      reservationRows([
        { capability_token_id: 'cap_a', amounts: { wall_ms: 1, calls: 2, disk_write_bytes: 3 } },
        { capability_token_id: 'cap_b', amounts: { cpu_ms: 4, calls: 5 } },
      ]),
    ).toEqual([
      { token: 'cap_a', dimension: 'calls', amount: 2 },
      { token: 'cap_a', dimension: 'disk_write_bytes', amount: 3 },
      { token: 'cap_a', dimension: 'wall_ms', amount: 1 },
      { token: 'cap_b', dimension: 'calls', amount: 5 },
      { token: 'cap_b', dimension: 'cpu_ms', amount: 4 },
    ]);
  });
});
