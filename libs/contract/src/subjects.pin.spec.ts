// SPDX-License-Identifier: Apache-2.0
import { REQUESTS, subjectsOf } from './subjects.ts';

describe('subjects', () => {
  it('are these on the wire', () => {
    const subjects = subjectsOf('s0');
    expect(subjects.request('kernel.admit')).toBe('writ.v1.s0.kernel.admit');
    expect(subjects.event('operation', 'ten_x')).toBe('writ.v1.s0.event.ten_x.operation');
    expect(subjects.allEvents('stop')).toBe('writ.v1.s0.event.*.stop');
    expect(subjects.work('sandboxed')).toBe('writ.v1.s0.work.sandboxed');
    expect(subjects.workStream).toBe('writ_s0_work');
  });

  it('begin with the process that serves them', () => {
    for (const [name, row] of Object.entries(REQUESTS)) expect(name.startsWith(`${row.server}.`)).toBe(true);
  });

  it('refuse a shard that could reach another subject', () => {
    for (const shard of ['', '*', 'a.b', '>', 'S0']) expect(() => subjectsOf(shard)).toThrow('no name of a shard');
  });
});
