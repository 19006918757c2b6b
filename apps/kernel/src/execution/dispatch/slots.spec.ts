// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { Slots } from './slots.ts';

describe('executors that accept assigned calls', () => {
  let now: number;
  let slots: Slots;
  beforeEach(() => {
    now = 0;
    slots = new Slots(() => now);
  });
  const report = (executor_id: string, inline: number, mark: string | null = 'm.0'): void =>
    slots.note({
      v: 1,
      executor_id,
      inline,
      sandboxed: 0,
      ...(mark === null ? {} : { assignable: { public_key: 'key', mark } }),
    });
  const reserve = (count: number): (string | undefined)[] =>
    Array.from({ length: count }, () => slots.reserve('inline')?.executorId);

  it('are reported with their slots while they are heard of, the last one first', () => {
    const [gone, here] = [newId('executor'), newId('executor')];
    report(gone, 2);
    now = 2_000;
    report(here, 3);
    report(here, 1);
    now = 2_500;
    const [last, first] = slots.seen();
    expect(last).toMatchObject({ executor_id: here, slots: { inline: 3 }, free: { inline: 1 }, seen_ms_ago: 500 });
    expect(first).toMatchObject({ executor_id: gone, free: { inline: 2 }, seen_ms_ago: 2_500 });
    now = 4_000;
    expect(slots.seen().map(({ executor_id }) => executor_id)).toEqual([here]);
  });

  it('get one call per free slot, those with most slots first, and none beyond', () => {
    const [few, many] = [newId('executor'), newId('executor')];
    report(few, 1);
    report(many, 3);
    expect(slots.free('inline')).toBe(4);
    expect(reserve(5)).toEqual(
      [many, many, few, many, undefined].sort((a, b) => (a === undefined ? 1 : b === undefined ? -1 : 0)),
    );
    expect(slots.reserve('sandboxed')).toBeNull();
    expect(slots.free('inline')).toBe(0);
  });

  it('receive the mark of the event that the assignment is based on', () => {
    const one = newId('executor');
    report(one, 1, 'm.7');
    expect(slots.reserve('inline')).toEqual({ executorId: one, publicKey: 'key', mark: 'm.7', knows: [] });
  });

  it('have the slots of their next event, whatever was assigned since the one before', () => {
    const one = newId('executor');
    report(one, 1);
    expect(reserve(2)).toEqual([one, undefined]);
    report(one, 2);
    expect(reserve(3)).toEqual([one, one, undefined]);
  });

  it('get a slot back when a call of theirs ends, and never more than their event has', () => {
    const [one, other] = [newId('executor'), newId('executor')];
    report(one, 1);
    slots.slotFreed('inline', one);
    expect(reserve(2)).toEqual([one, undefined]);
    slots.slotFreed('inline', other);
    slots.slotFreed('sandboxed', one);
    expect(reserve(1)).toEqual([undefined]);
    slots.slotFreed('inline', one);
    expect(reserve(2)).toEqual([one, undefined]);
  });

  it("exclude those that haven't announced it, and those without a recent event: these still count for the lanes", () => {
    const [old, silent] = [newId('executor'), newId('executor')];
    report(old, 2, null);
    expect(reserve(1)).toEqual([undefined]);
    report(silent, 2);
    now = 1_201;
    expect(reserve(1)).toEqual([undefined]);
    expect(slots.free('inline')).toBe(4);
  });
});
