// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, FsResource } from '@writ/contract';
import { attenuate } from './attenuate.ts';
import { decideToken } from './decide-token.ts';
import { narrowTo, type NarrowRequest } from './narrow-to.ts';

const token: CapabilityToken = {
  v: 1,
  capability_token_id: 'cap_p',
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  workspace_id: 'wsp_1',
  issuer: 'key_a',
  created_at: 0,
  revoked_at: null,
  grant: {
    tools: ['*'],
    fs: [
      { path: '', read: true, write: false },
      { path: 'src', read: true, write: true },
    ],
    net: [{ domain: '*.a.org', methods: ['GET'] }],
    secrets: ['KEY'],
    budgets: { calls: 10, cpu_ms: 500 },
    not_before: 100,
    expires_at: 200,
  },
};
const ask: NarrowRequest = {
  token,
  tool_id: 'fs.edit',
  resources: [
    { kind: 'fs', access: 'read', path: 'src/a' },
    { kind: 'fs', access: 'write', path: 'src/a' },
  ],
  uses: 3,
  expires_at: 150,
};

/** The chain of the requested child and its parent. */
function chainOf(request: NarrowRequest): readonly CapabilityToken[] {
  const verdict = attenuate(token, narrowTo(request));
  if (verdict.effect === 'refuse') throw new Error(verdict.message);
  return [{ ...token, ...verdict.child, capability_token_id: 'cap_c' }, token];
}
const may = (
  chain: readonly CapabilityToken[],
  tool_id: string,
  resources: readonly FsResource[],
  now = 120,
): boolean =>
  decideToken({
    chain,
    tenant_id: 'ten_a',
    agent_id: 'agt_a',
    workspace_id: 'wsp_1',
    session_id: null,
    tool_id,
    now,
    resources,
    tenant_scope: [{ path: '', read: true, write: true }],
  }).effect === 'allow';
const write = (path: string): FsResource => ({ kind: 'fs', access: 'write', path });

describe('a token for one kind of action', () => {
  test('denies what its parent denies below its paths, and allows no path that is denied itself', () => {
    const denied: CapabilityToken = {
      ...token,
      grant: {
        ...token.grant,
        fs: [...token.grant.fs, { path: 'src/a/keys', read: false, write: false, denied: true }],
      },
    };
    const made = attenuate(denied, narrowTo({ ...ask, token: denied }));
    expect(made).toMatchObject({
      effect: 'allow',
      child: { grant: { fs: [{ path: 'src/a' }, { path: 'src/a/keys', denied: true }] } },
    });
    expect(attenuate(denied, narrowTo({ ...ask, token: denied, resources: [write('src/a/keys')] })).effect).toBe(
      'refuse',
    );
  });

  test('allows that tool on those paths and below, and nothing else of its parent', () => {
    const chain = chainOf(ask);
    expect(may(chain, 'fs.edit', ask.resources ?? [])).toBe(true);
    expect(may(chain, 'fs.edit', [write('src/a/deep')])).toBe(true);
    expect(may(chain, 'fs.write', [write('src/a')])).toBe(false);
    expect(may(chain, 'fs.edit', [write('src/ab')])).toBe(false);
    expect(may(chain, 'fs.edit', ask.resources ?? [], 150)).toBe(false);
    expect(chain[0]?.grant).toEqual({
      tools: ['fs.edit'],
      fs: [{ path: 'src/a', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: { calls: 3, cpu_ms: 500 },
      not_before: 100,
      expires_at: 150,
    });
  });

  test('a command keeps the roots of its parent, since its paths are unknown', () => {
    expect(chainOf({ ...ask, tool_id: 'shell.run', resources: null })[0]?.grant).toMatchObject({
      tools: ['shell.run'],
      fs: token.grant.fs,
    });
    expect(chainOf({ ...ask, resources: [] })[0]?.grant.fs).toEqual([]);
  });

  test('lasts no longer and allows no more calls than its parent', () => {
    expect(chainOf({ ...ask, uses: 11, expires_at: 999 })[0]?.grant).toMatchObject({
      budgets: { calls: 10 },
      expires_at: 200,
    });
  });

  test('allows hosts and secrets only if they are named', () => {
    expect(
      chainOf({ ...ask, net: [{ domain: 'x.a.org', methods: ['GET'] }], secrets: ['KEY'] })[0]?.grant,
    ).toMatchObject({ net: [{ domain: 'x.a.org' }], secrets: ['KEY'] });
  });

  test('is refused beyond the token’s own roots, and never reduced', () => {
    expect(attenuate(token, narrowTo({ ...ask, resources: [write('docs/b')] }))).toMatchObject({
      effect: 'refuse',
      code: 'token.not_narrower',
    });
  });
});
