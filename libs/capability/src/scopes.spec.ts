// SPDX-License-Identifier: Apache-2.0
import { coversPath, isScopePath } from './fs-scope.ts';
import { coversDomain, coversNet } from './net-scope.ts';
import { coversPattern, matchesTool } from './tool-pattern.ts';

describe('tool patterns', () => {
  test.each([
    ['*', 'fs.read', true], ['*', '*', true], ['fs.*', 'fs.read', true], ['fs.*', 'fs.read.deep', true], ['fs.*', 'fs', false], ['fs.*', 'fs.', false],
    ['fs.*', 'fsx.read', false], ['fs.read', 'fs.read', true], ['fs.read', 'fs.reads', false], ['fs.r*', 'fs.read', false], ['', '', true], ['', 'fs.read', false],
  ])('`%s` grants `%s`: %s', (pattern, tool, expected) => {
    expect(matchesTool(pattern, tool)).toBe(expected);
  });

  test.each([
    ['*', '*', true], ['*', 'fs.*', true], ['fs.*', '*', false], ['fs.*', 'fs.*', true], ['fs.*', 'fs.read', true], ['fs.*', 'fs.sub.*', true],
    ['fs.sub.*', 'fs.*', false], ['fs.read', 'fs.*', false], ['fs.*', 'fs', false], ['fs.*', 'net.read', false],
  ])('`%s` covers `%s`: %s', (outer, inner, expected) => {
    expect(coversPattern(outer, inner)).toBe(expected);
  });
});

describe('file roots', () => {
  const roots = [{ path: 'src', read: false, write: true }, { path: 'docs/api', read: true, write: false }];

  test.each([
    ['write', 'src', true], ['write', 'src/a/b.ts', true], ['write', 'srcs', false], ['write', '', false], ['read', 'src/a', false],
    ['read', 'docs/api/x', true], ['read', 'docs', false], ['write', 'docs/api/x', false],
    ['write', 'src/../etc', false], ['write', 'src//a', false], ['write', '/src/a', false], ['write', 'src/a\0', false], ['write', 'src/.', false],
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

describe('network grants', () => {
  test.each([
    ['a.org', 'a.org', true], ['*.a.org', 'x.a.org', true], ['*.a.org', 'x.y.a.org', true], ['*.a.org', 'a.org', false], ['*.a.org', 'xa.org', false],
    ['*.a.org', '*.b.a.org', true], ['*.b.a.org', '*.a.org', false], ['*.a.org', '*.a.org', true], ['a.org', '*.a.org', false],
  ])('`%s` covers `%s`: %s', (outer, inner, expected) => {
    expect(coversDomain(outer, inner)).toBe(expected);
  });

  test('each method may be covered by another grant, and all must be', () => {
    const outer = [{ domain: 'a.org', methods: ['GET'] }, { domain: '*.org', methods: ['PUT'] }];
    expect(coversNet(outer, { domain: 'a.org', methods: ['GET', 'PUT'] })).toBe(true);
    expect(coversNet(outer, { domain: 'b.org', methods: ['GET'] })).toBe(false);
    expect(coversNet([], { domain: 'b.org', methods: [] })).toBe(true);
  });
});
