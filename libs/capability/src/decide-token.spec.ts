// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, Grant } from '@writ/contract';
import { decideToken, type TokenRequest } from './decide-token.ts';

const grant: Grant = {
  tools: ['fs.*', 'shell.run'],
  fs: [
    { path: 'src', read: true, write: true },
    { path: '', read: true, write: false },
  ],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 1000,
  expires_at: 2000,
};
const root: CapabilityToken = {
  v: 1,
  capability_token_id: 'cap_root',
  tenant_id: 'ten_a',
  agent_id: 'agt_boss',
  parent_id: null,
  workspace_id: null,
  grant,
  issuer: 'key_1',
  created_at: 1000,
  revoked_at: null,
};
const leaf: CapabilityToken = {
  ...root,
  capability_token_id: 'cap_leaf',
  agent_id: 'agt_x',
  parent_id: 'cap_root',
  workspace_id: 'wsp_1',
};
const ask: TokenRequest = {
  chain: [leaf, root],
  tenant_id: 'ten_a',
  agent_id: 'agt_x',
  workspace_id: 'wsp_1',
  session_id: null,
  tool_id: 'fs.write',
  now: 1500,
  resources: [{ kind: 'fs', access: 'write', path: 'src/a.ts' }],
  tenant_scope: [{ path: '', read: true, write: true }],
};

const codeOf = (changes: Partial<TokenRequest>) => {
  const verdict = decideToken({ ...ask, ...changes });
  return verdict.effect === 'allow' ? 'allow' : verdict.code;
};
const withRoot = (changes: Partial<CapabilityToken>) => ({ chain: [leaf, { ...root, ...changes }] });

describe('a token decides', () => {
  test('a call within tool, scope and time is allowed', () => {
    expect(codeOf({})).toBe('allow');
  });

  test("no token, a broken or shortened chain and another tenant's chain have the same answer", () => {
    const answers = [
      { chain: [] },
      { chain: [leaf] },
      { chain: [leaf, leaf] },
      withRoot({ parent_id: 'cap_gone' }),
      { tenant_id: 'ten_b' },
      withRoot({ tenant_id: 'ten_b' }),
    ].map((changes) => JSON.stringify(decideToken({ ...ask, ...changes })));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('token.unknown');
  });

  test('only the agent that holds it may use it, whoever holds its parents', () => {
    expect(codeOf({ agent_id: 'agt_boss' })).toBe('token.agent');
  });

  test('revoking a parent revokes the child', () => {
    expect(codeOf(withRoot({ revoked_at: 1200 }))).toBe('token.revoked');
    expect(codeOf({ chain: [{ ...leaf, revoked_at: 1200 }, root] })).toBe('token.revoked');
  });

  test('validity begins at not_before and ends before expires_at, along the whole chain', () => {
    expect(codeOf({ now: 999 })).toBe('token.not_yet_valid');
    expect(codeOf({ now: 1000 })).toBe('allow');
    expect(codeOf({ now: 1999 })).toBe('allow');
    expect(codeOf({ now: 2000 })).toBe('token.expired');
    expect(codeOf(withRoot({ grant: { ...grant, expires_at: 1400 } }))).toBe('token.expired');
    expect(codeOf(withRoot({ grant: { ...grant, not_before: Number.MAX_SAFE_INTEGER } }))).toBe('token.not_yet_valid');
  });

  test('a tool that any link of the chain lacks is refused', () => {
    expect(codeOf({ tool_id: 'net.fetch' })).toBe('token.tool');
    expect(codeOf(withRoot({ grant: { ...grant, tools: ['fs.read'] } }))).toBe('token.tool');
  });

  test('a path outside the roots is refused and named, with the requested access', () => {
    expect(decideToken({ ...ask, resources: [{ kind: 'fs', access: 'write', path: 'docs/a.md' }] })).toEqual({
      effect: 'refuse',
      code: 'token.scope',
      message: 'the capability token does not let `docs/a.md` be written',
      hint: 'a token with a write root at or above the path would do',
    });
    expect(codeOf({ resources: [{ kind: 'fs', access: 'read', path: 'docs/a.md' }] })).toBe('allow');
    const narrow = withRoot({ grant: { ...grant, fs: [] } });
    expect(decideToken({ ...ask, ...narrow, resources: [{ kind: 'fs', access: 'read', path: '' }] })).toMatchObject({
      code: 'token.scope',
      message: 'the capability token does not let `/workspace` be read',
    });
  });

  test('a token bound to a workspace allows no other', () => {
    expect(codeOf({ workspace_id: 'wsp_2' })).toBe('token.scope');
  });
});
