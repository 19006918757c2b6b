// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { SnapshotMap } from './snapshot-map.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'aa', 'ab', '');
const change = fc.record({ copy: fc.nat(), key, value: fc.option(fc.integer()), fork: fc.boolean() });

test('copies of a map are independent of each other', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const copies = [{ map: new SnapshotMap<number>(), plain: new Map<string, number>() }];
      for (const { copy, key: name, value, fork } of changes) {
        const one = copies[copy % copies.length];
        if (one === undefined) continue;
        if (fork) copies.push({ map: one.map.snapshot(), plain: new Map(one.plain) });
        if (value === null) {
          one.map.delete(name);
          one.plain.delete(name);
        } else {
          one.map.set(name, value);
          one.plain.set(name, value);
        }
      }
      for (const { map, plain } of copies)
        for (const name of ['a', 'b', 'c', 'd', 'e', 'aa', 'ab', '', 'z'])
          expect([name, map.get(name), map.has(name)]).toEqual([name, plain.get(name), plain.has(name)]);
      for (const one of copies) {
        for (const two of copies) {
          const differ = [...new Set([...one.plain.keys(), ...two.plain.keys()])].filter(
            (name) => one.plain.get(name) !== two.plain.get(name),
          );
          const parted = one.map.partedFrom(two.map);
          expect(differ.filter((name) => !parted.has(name))).toEqual([]);
        }
      }
    }),
  );
});

test('an unchanged copy has no differing keys', () => {
  const map = new SnapshotMap<number>();
  for (let index = 0; index < 10_000; index += 1) map.set(`k${index}`, index);
  const copy = map.snapshot();
  expect(map.partedFrom(copy).size).toBe(0);
  copy.set('k1', 5);
  expect([...map.partedFrom(copy)]).toEqual(['k1']);
  copy.restore(map);
  expect(copy.get('k1')).toBe(1);
});
