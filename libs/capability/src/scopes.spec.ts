// SPDX-License-Identifier: Apache-2.0
import type { FsRoot, Grant } from '@writ/contract';
import { coversPath, isScopePath } from './fs-scope.ts';
import { coversDomain, coversNet } from './net-scope.ts';
import { excessOf } from './subset.ts';
import { coversPattern, matchesTool } from './tool-pattern.ts';

describe('tool patterns', () => {
  test.each([
    ['*', 'fs.read', true],
    ['*', '*', true],
    ['fs.*', 'fs.read', true],
    ['fs.*', 'fs.read.deep', true],
    ['fs.*', 'fs', false],
    ['fs.*', 'fs.', false],
    ['fs.*', 'fsx.read', false],
    ['fs.read', 'fs.read', true],
    ['fs.read', 'fs.reads', false],
    ['fs.r*', 'fs.read', false],
    ['', '', true],
    ['', 'fs.read', false],
  ])('`%s` grants `%s`: %s', (pattern, tool, expected) => {
    expect(matchesTool(pattern, tool)).toBe(expected);
  });

  test.each([
    ['*', '*', true],
    ['*', 'fs.*', true],
    ['fs.*', '*', false],
    ['fs.*', 'fs.*', true],
    ['fs.*', 'fs.read', true],
    ['fs.*', 'fs.sub.*', true],
    ['fs.sub.*', 'fs.*', false],
    ['fs.read', 'fs.*', false],
    ['fs.*', 'fs', false],
    ['fs.*', 'net.read', false],
  ])('`%s` covers `%s`: %s', (outer, inner, expected) => {
    expect(coversPattern(outer, inner)).toBe(expected);
  });
});

describe('file roots', () => {
  const roots = [
    { path: 'src', read: false, write: true },
    { path: 'docs/api', read: true, write: false },
  ];

  test.each([
    ['write', 'src', true],
    ['write', 'src/a/b.ts', true],
    ['write', 'srcs', false],
    ['write', '', false],
    ['read', 'src/a', false],
    ['read', 'docs/api/x', true],
    ['read', 'docs', false],
    ['write', 'docs/api/x', false],
    ['write', 'src/../etc', false],
    ['write', 'src//a', false],
    ['write', '/src/a', false],
    ['write', 'src/a\0', false],
    ['write', 'src/.', false],
  ] as const)('%s of `%s`: %s', (access, path, expected) => {
    expect(coversPath(roots, access, path)).toBe(expected);
  });

  test('the empty root is the whole workspace, and nothing that escapes it', () => {
    const whole = [{ path: '', read: true, write: true }];
    expect(coversPath(whole, 'write', '')).toBe(true);
    expect(coversPath(whole, 'write', 'a/b')).toBe(true);
    expect(coversPath(whole, 'write', '../a')).toBe(false);
  });

  test('a root that is not in scope form grants nothing', () => {
    for (const path of ['src/', './src', '/', 'a/../b']) {
      expect(isScopePath(path)).toBe(false);
      expect(coversPath([{ path, read: true, write: true }], 'read', 'src/a')).toBe(false);
      expect(coversPath([{ path, read: true, write: true }], 'read', 'b')).toBe(false);
    }
  });
});

describe('denied roots', () => {
  const roots = [
    { path: 'src/keys', read: true, write: true, denied: true as const },
    { path: 'src', read: true, write: true },
    { path: 'src/keys/public', read: true, write: false },
  ];

  test.each([
    ['src/a', true],
    ['src', true],
    ['src/keysx', true],
    ['src/keys', false],
    ['src/keys/id', false],
    ['src/keys/public', false],
    ['src/keys/public/a', false],
  ])('a denied path wins over every root, in whatever order: `%s` %s', (path, expected) => {
    for (const order of [roots, [...roots].reverse()])
      expect([coversPath(order, 'read', path), coversPath(order, 'write', path) || !expected]).toEqual([
        expected,
        true,
      ]);
  });

  test('what denies grants nothing, whatever it says of reading and writing', () => {
    expect(coversPath([{ path: '', read: true, write: true, denied: true }], 'read', 'a')).toBe(false);
  });

  test('a child that leaves out what its parent denies below a root reaches further, and one that denies as much or more does not', () => {
    const grant = (fs: FsRoot[]): Grant => ({
      tools: [],
      fs,
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: 1,
    });
    const parent = grant([
      { path: '', read: true, write: true },
      { path: 'src/keys', read: false, write: false, denied: true },
    ]);
    const src: FsRoot = { path: 'src', read: true, write: false };
    expect(excessOf(grant([src]), parent)).toEqual([{ dimension: 'fs', detail: 'src' }]);
    expect(
      excessOf(grant([src, { path: 'src/keys/id', read: false, write: false, denied: true }]), parent),
    ).toHaveLength(1);
    for (const denied of ['src/keys', 'src'])
      expect(excessOf(grant([src, { path: denied, read: false, write: false, denied: true }]), parent)).toEqual([]);
    expect(excessOf(grant([{ path: 'docs', read: true, write: true }]), parent)).toEqual([]);
    expect(excessOf(grant([{ path: './x', read: false, write: false, denied: true }]), parent)).toHaveLength(1);
  });
});

describe('network grants', () => {
  test.each([
    ['a.org', 'a.org', true],
    ['*.a.org', 'x.a.org', true],
    ['*.a.org', 'x.y.a.org', true],
    ['*.a.org', 'a.org', false],
    ['*.a.org', 'xa.org', false],
    ['*.a.org', '*.b.a.org', true],
    ['*.b.a.org', '*.a.org', false],
    ['*.a.org', '*.a.org', true],
    ['a.org', '*.a.org', false],
  ])('`%s` covers `%s`: %s', (outer, inner, expected) => {
    expect(coversDomain(outer, inner)).toBe(expected);
  });

  test('each method may be covered by another grant, and all must be', () => {
    const outer = [
      { domain: 'a.org', methods: ['GET'] },
      { domain: '*.org', methods: ['PUT'] },
    ];
    expect(coversNet(outer, { domain: 'a.org', methods: ['GET', 'PUT'] })).toBe(true);
    expect(coversNet(outer, { domain: 'b.org', methods: ['GET'] })).toBe(false);
    expect(coversNet([], { domain: 'b.org', methods: [] })).toBe(true);
  });
});
