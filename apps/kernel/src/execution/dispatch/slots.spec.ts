// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { Slots } from './slots.ts';

describe('executors that take what is assigned to them', () => {
  let now: number;
  let slots: Slots;
  beforeEach(() => {
    now = 0;
    slots = new Slots(() => now);
  });
  const says = (executor_id: string, inline: number, mark: string | null = 'm.0'): void =>
    slots.note({
      v: 1,
      executor_id,
      inline,
      sandboxed: 0,
      ...(mark === null ? {} : { assignable: { public_key: 'key', mark } }),
    });
  const take = (count: number): (string | undefined)[] =>
    Array.from({ length: count }, () => slots.assign('inline')?.executorId);

  it('get one call a free slot, those with most of them first, and none beyond', () => {
    const [few, many] = [newId('executor'), newId('executor')];
    says(few, 1);
    says(many, 3);
    expect(slots.free('inline')).toBe(4);
    expect(take(5)).toEqual(
      [many, many, few, many, undefined].sort((a, b) => (a === undefined ? 1 : b === undefined ? -1 : 0)),
    );
    expect(slots.assign('sandboxed')).toBeNull();
    expect(slots.free('inline')).toBe(0);
  });

  it('are told by which of their words it was', () => {
    const one = newId('executor');
    says(one, 1, 'm.7');
    expect(slots.assign('inline')).toEqual({ executorId: one, publicKey: 'key', mark: 'm.7' });
  });

  it('have what they say next, whatever was assigned on the word before', () => {
    const one = newId('executor');
    says(one, 1);
    expect(take(2)).toEqual([one, undefined]);
    says(one, 2);
    expect(take(3)).toEqual([one, one, undefined]);
  });

  it('have a slot back when a call of theirs ends, and never more than they said', () => {
    const [one, other] = [newId('executor'), newId('executor')];
    says(one, 1);
    slots.freed('inline', one);
    expect(take(2)).toEqual([one, undefined]);
    slots.freed('inline', other);
    slots.freed('sandboxed', one);
    expect(take(1)).toEqual([undefined]);
    slots.freed('inline', one);
    expect(take(2)).toEqual([one, undefined]);
  });

  it("are none that haven't said so, nor those that have been silent for longer than they announce themselves: these still count for the lanes", () => {
    const [old, silent] = [newId('executor'), newId('executor')];
    says(old, 2, null);
    expect(take(1)).toEqual([undefined]);
    says(silent, 2);
    now = 1_201;
    expect(take(1)).toEqual([undefined]);
    expect(slots.free('inline')).toBe(4);
  });
});
