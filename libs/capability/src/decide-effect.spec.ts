// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsRoot } from '@writ/contract';
import { decideEffect, type ScopedEffect } from './decide-effect.ts';

const token = (...fs: FsRoot[]): CapabilityToken => ({
  v: 1,
  capability_token_id: 'cap_a',
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  workspace_id: null,
  issuer: 'key_a',
  created_at: 0,
  revoked_at: null,
  grant: { tools: ['*'], fs, net: [], secrets: [], budgets: {}, not_before: 0, expires_at: 1 },
});
const writes = (path: string): FsRoot => ({ path, read: true, write: true });
const inScope = (effect: Omit<ScopedEffect, 'tenant_scope'>) => decideEffect({ ...effect, tenant_scope: [writes('')] });
const changes = (...paths: string[]) => paths.map((path) => ({ path }));

describe('an effect is checked against the token', () => {
  test('changes within the write roots of every token pass', () => {
    expect(
      inScope({ chain: [token(writes('src/a')), token(writes('src'))], changes: changes('src/a/x', 'src/a') }),
    ).toEqual({ effect: 'allow' });
    expect(inScope({ chain: [token()], changes: [] })).toEqual({ effect: 'allow' });
  });

  test('a change outside any token of the chain is refused and named', () => {
    expect(
      inScope({ chain: [token(writes('')), token(writes('src'))], changes: changes('src/x', 'README.md') }),
    ).toMatchObject({
      effect: 'refuse',
      code: 'effect.out_of_scope',
      message: 'the call changed `README.md`, outside the write roots of its capability token',
    });
  });

  test('a read root permits no writes', () => {
    expect(inScope({ chain: [token({ path: '', read: true, write: false })], changes: changes('a') }).effect).toBe(
      'refuse',
    );
  });

  test('a path that a container forged is outside whatever the roots are', () => {
    for (const path of ['../etc/passwd', '/etc/passwd', 'src/../../x', '']) {
      const verdict = inScope({ chain: [token(writes('src'))], changes: changes(path) });
      expect(verdict.effect).toBe('refuse');
    }
  });

  test('the message names the first five and counts the rest', () => {
    const verdict = inScope({ chain: [token()], changes: changes('a', 'b', 'c', 'd', 'e', 'f', 'g') });
    expect(verdict).toMatchObject({ message: expect.stringContaining('`a`, `b`, `c`, `d`, `e` and 2 more') });
  });

  test('a denied path is not written, and a directory above it is neither removed nor replaced', () => {
    const chain = [token(writes('')), token(writes(''), { path: 'src/keys', read: false, write: false, denied: true })];
    const effect = (path: string, after: unknown) =>
      inScope({ chain, changes: [{ path, after: after as never }] }).effect;
    const dir = { kind: 'dir', mode: null, sha256: null, size: 0 };
    expect(effect('src/keys', dir)).toBe('refuse');
    expect(effect('src/keys/id', dir)).toBe('refuse');
    for (const above of ['src', ''])
      expect([effect(above, null), effect(above, { kind: 'symlink' })]).toEqual(['refuse', 'refuse']);
    expect([effect('src', dir), effect('src/keysx', null), effect('docs', null)]).toEqual(['allow', 'allow', 'allow']);
  });

  test('without a token no change is allowed', () => {
    expect(inScope({ chain: [], changes: changes('a') }).effect).toBe('refuse');
  });
});
