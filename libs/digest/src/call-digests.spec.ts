// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { actionDigest, argsHash, effectDigest } from './call-digests.ts';
import type { Action } from './call-digests.ts';
import { sha256, sha256Hex } from './sha256/sha256.ts';

const ACTION: Action = {
  tool_id: 'fs.write',
  tool_definition_digest: 'd'.repeat(64),
  args_hash: 'a'.repeat(64),
  capability_token_id: 'cap_1',
  policy_hash: 'b'.repeat(64),
  state_snapshot_id: `snap_${'c'.repeat(64)}`,
  image_digest: null,
};
const SALT = new Uint8Array(32).fill(7);
const change = fc.record({
  path: fc.string({ unit: 'grapheme', minLength: 1 }),
  before: fc.constantFrom(null, 'x'),
  after: fc.constantFrom(null, 'y'),
  mode: fc.constantFrom(null, '644'),
});

describe('sha256', () => {
  it('matches the vectors of FIPS 180-4, in one part or several', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256Hex(Buffer.from('abc'))).toBe(abc);
    expect(sha256Hex(Buffer.from('a'), Buffer.from('bc'))).toBe(abc);
    expect(sha256()).toEqual(
      Uint8Array.from(Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex')),
    );
  });
});

describe('argsHash', () => {
  it('is the hash of salt and canonical arguments', () => {
    const expected = createHash('sha256').update(SALT).update('{"a":1,"b":"x"}').digest('hex');
    expect(argsHash(SALT, { b: 'x', a: 1 })).toBe(expected);
  });

  it('reveals nothing without the salt: another salt, another hash', () => {
    expect(argsHash(new Uint8Array(32), {})).not.toBe(argsHash(SALT, {}));
  });

  it('refuses a salt that is shorter than the hash', () => {
    expect(() => argsHash(new Uint8Array(31), {})).toThrow('a salt takes 32 bytes');
  });
});

describe('actionDigest', () => {
  it('changes with each of its fields', () => {
    const base = actionDigest(ACTION);
    for (const field of Object.keys(ACTION)) expect(actionDigest({ ...ACTION, [field]: 'other' })).not.toBe(base);
  });

  it('ignores other fields of its argument', () => {
    expect(actionDigest({ ...ACTION, dialect: 'blocks' } as Action)).toBe(actionDigest(ACTION));
  });
});

describe('effectDigest', () => {
  it('depends on the changes, not on their order', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(change, { selector: (c) => c.path, maxLength: 8 })
          .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([a, b]) => {
          const rest = { exit_status: 0, result_hash: null, requests: [] };
          expect(effectDigest({ changes: b, ...rest })).toBe(effectDigest({ changes: a, ...rest }));
        },
      ),
    );
  });

  it('sorts by the bytes of the path, not by UTF-16 units', () => {
    const change = (path: string) => ({ path, before: null, after: 'h', mode: '644' });
    const json = (path: string) => `{"after":"h","before":null,"mode":"644","path":"${path}"}`;
    const expected = `{"changes":[${json('\ufb33')},${json('😀')}],"exit_status":null,"requests":[],"result_hash":null,"v":1}`;
    const effect = { changes: [change('😀'), change('\ufb33')], exit_status: null, result_hash: null, requests: [] };
    expect(effectDigest(effect)).toBe(sha256Hex(Buffer.from(expected)));
  });

  it('changes with every part of the effect', () => {
    const base = {
      changes: [{ path: 'a', before: null, after: { sha256: 'h' } }],
      exit_status: 0,
      result_hash: 'r',
      requests: [],
    };
    const others = [
      { ...base, changes: [] },
      { ...base, changes: [{ path: 'b', before: null, after: { sha256: 'h' } }] },
      { ...base, changes: [{ path: 'a', before: 'x', after: { sha256: 'h' } }] },
      { ...base, changes: [{ path: 'a', before: null, after: { sha256: 'i' } }] },
      { ...base, changes: [{ path: 'a', before: null, after: { sha256: 'h' }, mode: '755' }] },
      { ...base, exit_status: 1 },
      { ...base, result_hash: null },
      { ...base, requests: ['r'] },
    ];
    expect(new Set([base, ...others].map(effectDigest)).size).toBe(others.length + 1);
  });

  it('refuses a duplicate path', () => {
    const twice = [
      { path: 'a', before: null, after: 'x' },
      { path: 'a', before: null, after: 'y' },
    ];
    expect(() => effectDigest({ changes: twice, exit_status: 0, result_hash: null, requests: [] })).toThrow(
      'path `a` comes twice',
    );
  });
});
