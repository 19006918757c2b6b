// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_CALL_SETTINGS, type CapabilityToken, type FsRoot } from '@writ/contract';
import fc from 'fast-check';
import { decideEffect } from './decide-effect.ts';
import { decideToken } from './decide-token.ts';
import { scopeOf, type FsAccess } from './fs-scope.ts';
import { tenantScope } from './tenant-scope.ts';

const EVERYTHING: FsRoot = { path: '', read: true, write: true };
const token = (fs: readonly FsRoot[]): CapabilityToken => ({
  v: 1,
  capability_token_id: 'cap_a',
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  workspace_id: null,
  issuer: 'key_a',
  created_at: 0,
  revoked_at: null,
  grant: { tools: ['*'], fs: [...fs], net: [], secrets: [], budgets: {}, not_before: 0, expires_at: 2 },
});
const ask = (fs: readonly FsRoot[], access: FsAccess, path: string, scope: ReturnType<typeof tenantScope>) =>
  decideToken({
    chain: [token(fs)],
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    workspace_id: 'wsp_a',
    session_id: null,
    tool_id: 'fs.read',
    now: 1,
    resources: [{ kind: 'fs', access, path }],
    tenant_scope: scope,
  });
const reaches = (path: string, settings: Parameters<typeof tenantScope>[0] = DEFAULT_CALL_SETTINGS) =>
  scopeOf(tenantScope(settings), 'read')(path);

describe("the paths of a tenant's settings", () => {
  test('deny keys in every directory and the files of accounts at the root, unless they are set', () => {
    for (const path of ['.ssh', '.ssh/id', 'home/me/.ssh/id', 'a/.gnupg', 'a/.gnupg/b/c', 'etc/shadow', 'etc/passwd'])
      expect({ path, reached: reaches(path) }).toEqual({ path, reached: false });
    for (const path of ['', 'a', 'ssh', '.sshx', 'a.ssh', 'x.ssh/y', 'rootfs/etc/passwd', 'etc', 'etc/passwd.d'])
      expect({ path, reached: reaches(path) }).toEqual({ path, reached: true });
  });

  test('deny several names in a row anywhere, and only in that order', () => {
    const settings = { allowed_paths: [''], denied_paths: ['**/.config/gh', '**/key'] };
    expect(['a/.config/gh/token', '.config/gh', 'x/key/y'].map((path) => reaches(path, settings))).toEqual([
      false,
      false,
      false,
    ]);
    expect(['.config', 'gh/.config', '.config/a/gh', 'a.config/gh'].map((path) => reaches(path, settings))).toEqual(
      Array(4).fill(true),
    );
  });

  test('deny what they allow too, and reach nothing beyond what they allow', () => {
    const settings = { allowed_paths: ['src', '.ssh'], denied_paths: ['**/.ssh'] };
    expect(['src/a', '.ssh/a', 'docs', ''].map((path) => reaches(path, settings))).toEqual([true, false, false, false]);
  });

  test('that deny nothing let a repository hold such a directory', () => {
    expect(reaches('deploy/.ssh/config', { allowed_paths: [''], denied_paths: [] })).toBe(true);
  });

  test('refuse a call whose token grants the path, by a code of their own', () => {
    const scope = tenantScope(DEFAULT_CALL_SETTINGS);
    expect(ask([EVERYTHING], 'read', 'a/.ssh/id', scope)).toMatchObject({ effect: 'refuse', code: 'path.denied' });
    expect(ask([], 'read', 'a/.ssh/id', scope)).toMatchObject({ effect: 'refuse', code: 'token.scope' });
    expect(ask([EVERYTHING], 'write', 'a/b', scope)).toEqual({ effect: 'allow' });
  });

  test('refuse an effect there, and one that removes a directory above a denied path', () => {
    const tenant_scope = tenantScope({ allowed_paths: [''], denied_paths: ['**/.ssh', 'etc/shadow'] });
    const effect = (path: string) => decideEffect({ chain: [token([EVERYTHING])], changes: [{ path }], tenant_scope });
    for (const path of ['a/.ssh/id', '.ssh', 'etc/shadow', 'etc'])
      expect(effect(path)).toMatchObject({
        effect: 'refuse',
        code: 'effect.out_of_scope',
        message: `the call changed \`${path}\`, which the settings of the tenant keep calls from`,
      });
    expect(effect('a/b')).toEqual({ effect: 'allow' });
  });

  test('that are empty reach nothing: what was not read allows nothing', () => {
    expect(ask([EVERYTHING], 'read', 'a', [])).toMatchObject({ code: 'path.denied' });
  });

  test('only narrow: whatever they are, a call that its token refuses stays refused', () => {
    const paths = fc.constantFrom('', 'a', 'a/b', 'a/.ssh', '.ssh/x', 'c/.ssh/y', '../a', 'c');
    const roots = fc.array(
      fc.record({ path: paths, read: fc.boolean(), write: fc.boolean() }).map((root): FsRoot => root),
      { maxLength: 4 },
    );
    const settings = fc.record({
      allowed_paths: fc.array(paths, { minLength: 1, maxLength: 3 }),
      denied_paths: fc.array(fc.constantFrom('**/.ssh', '**/b', 'a', 'c/.ssh', ''), { maxLength: 3 }),
    });
    const accesses = fc.constantFrom('read' as const, 'write' as const);
    fc.assert(
      fc.property(roots, settings, accesses, paths, (fs, set, access, path) => {
        const scope = tenantScope(set);
        const expected = scopeOf(fs, access)(path) && scopeOf(scope, access)(path);
        expect(ask(fs, access, path, scope).effect).toBe(expected ? 'allow' : 'refuse');
        const { effect } = decideEffect({ chain: [token(fs)], changes: [{ path }], tenant_scope: scope });
        if (effect === 'allow') expect(scopeOf(fs, 'write')(path) && scopeOf(scope, 'write')(path)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
