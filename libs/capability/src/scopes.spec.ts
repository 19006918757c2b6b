// SPDX-License-Identifier: Apache-2.0
import type { FsRoot, Grant } from '@writ/contract';
import { coversPath, isScopePath } from './fs-scope.ts';
import { coversDomain, coversNet, reaches, reachesHost } from './net-scope.ts';
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

  test('a denied root grants nothing, whatever its read and write flags', () => {
    expect(coversPath([{ path: '', read: true, write: true, denied: true }], 'read', 'a')).toBe(false);
  });

  test('a child exceeds its parent if it lacks a denial below a root, and not if it denies as much or more', () => {
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

  test('different grants may cover the methods, and all methods must be covered', () => {
    const outer = [
      { domain: 'a.org', methods: ['GET'] },
      { domain: '*.org', methods: ['PUT'] },
    ];
    expect(coversNet(outer, { domain: 'a.org', methods: ['GET', 'PUT'] })).toBe(true);
    expect(coversNet(outer, { domain: 'b.org', methods: ['GET'] })).toBe(false);
    expect(coversNet([], { domain: 'b.org', methods: [] })).toBe(true);
  });

  test('ports are covered one by one, and absent ones are the usual ones of the method', () => {
    const outer = [
      { domain: '*.a.org', methods: ['GET', 'TLS'], ports: [993, 8443] },
      { domain: 'm.a.org', methods: ['TLS'], ports: [143] },
      { domain: '*.a.org', methods: ['GET', 'CONNECT'] },
    ];
    const covers = (domain: string, methods: string[], ports?: number[]) =>
      coversNet(outer, { domain, methods, ...(ports === undefined ? {} : { ports }) });
    expect(covers('m.a.org', ['TLS'], [143, 993])).toBe(true);
    expect(covers('n.a.org', ['TLS'], [143, 993])).toBe(false);
    expect(covers('m.a.org', ['GET'], [80, 443, 8443])).toBe(true);
    expect(covers('m.a.org', ['GET'], [22])).toBe(false);
    expect(covers('m.a.org', ['CONNECT'], [80])).toBe(false);
    expect(covers('m.a.org', ['CONNECT'], [443])).toBe(true);
    // Without ports nothing is granted to a raw connection, so that nothing exceeds.
    expect(covers('m.a.org', ['TCP'])).toBe(true);
  });

  test('a host is reached by method and port, and its name by any method; a pattern is no host', () => {
    const net = [{ domain: '*.a.org', methods: ['TLS'], ports: [993] }];
    expect([reaches(net, 'm.a.org', 'TLS', 993), reachesHost(net, 'm.a.org')]).toEqual([true, true]);
    expect(reaches(net, 'm.a.org', 'TLS', 443)).toBe(false);
    expect(reaches(net, 'm.a.org', 'TCP', 993)).toBe(false);
    expect([reaches(net, 'a.org', 'TLS', 993), reachesHost(net, 'a.org')]).toEqual([false, false]);
    expect([reaches(net, '*.a.org', 'TLS', 993), reachesHost(net, '*.a.org')]).toEqual([false, false]);
    expect(reachesHost([{ domain: 'a.org', methods: ['TCP'] }], 'a.org')).toBe(false);
  });

  test('an excess names the ports of the grant', () => {
    const base = { tools: [], fs: [], secrets: [], budgets: {}, not_before: 0, expires_at: 1 };
    expect(
      excessOf(
        { ...base, net: [{ domain: 'm.a.org', methods: ['TLS'], ports: [25, 993] }] },
        { ...base, net: [{ domain: 'm.a.org', methods: ['TLS'], ports: [993] }] },
      ),
    ).toEqual([{ dimension: 'net', detail: 'm.a.org:25,993' }]);
  });
});
