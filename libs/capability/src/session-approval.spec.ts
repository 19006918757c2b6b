// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, SessionApproval } from '@writ/contract';
import { decideToken } from './decide-token.ts';
import { decideSessionToken, isLikeApproved, type PendingCall } from './session-approval.ts';

const token: CapabilityToken = {
  v: 1,
  capability_token_id: 'cap_p',
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  workspace_id: null,
  issuer: 'key_1',
  created_at: 0,
  revoked_at: null,
  grant: {
    tools: ['*'],
    fs: [{ path: '', read: true, write: true }],
    net: [{ domain: 'a.org', methods: ['GET'] }],
    secrets: ['KEY'],
    resources: ['info_store:a'],
    budgets: { cpu_ms: 500 },
    not_before: 100,
    expires_at: 200,
  },
};
const approval: SessionApproval = {
  approval_id: 'apr_1',
  operation_id: 'op_1',
  session_id: 'ses',
  policy_hash: 'a',
  args: 'any',
  risk_max: 0.5,
  risk_basis: ['r.a', 'r.b'],
  reasons: ['p.a', 'p.b'],
};
const like: PendingCall = {
  session_id: 'ses',
  policy_hash: 'a',
  risk_score: 0.5,
  risk_basis: ['r.a'],
  reasons: [{ code: 'p.b' }],
};
const ask = { token, workspace_id: 'wsp_1', tool_id: 'fs.write', uses: 3, expires_at: 150 };

const childOf = (resources: Parameters<typeof decideSessionToken>[0]['resources']) => {
  const verdict = decideSessionToken({ ...ask, resources });
  if (verdict.effect === 'refuse') throw new Error(verdict.message);
  return verdict.child;
};

describe('a session grant', () => {
  it('for a call that names its paths is a token for that tool and these paths alone', () => {
    expect(childOf([{ kind: 'fs', access: 'write', path: 'src/a' }])).toEqual({
      tenant_id: 'ten_a',
      parent_id: 'cap_p',
      workspace_id: 'wsp_1',
      grant: {
        tools: ['fs.write'],
        fs: [{ path: 'src/a', read: false, write: true }],
        net: [],
        secrets: [],
        budgets: { cpu_ms: 500, calls: 3 },
        not_before: 100,
        expires_at: 150,
      },
    });
  });

  it('for a command keeps the scope of its token', () => {
    const { fs, net, secrets, resources } = token.grant;
    expect(childOf(null).grant).toMatchObject({
      tools: ['fs.write'],
      fs,
      net,
      secrets,
      resources,
      budgets: { cpu_ms: 500, calls: 3 },
    });
  });

  it('ends with the token at the latest, and never exceeds it', () => {
    const resources = [{ kind: 'fs', access: 'write', path: 'a' }] as const;
    expect(decideSessionToken({ ...ask, resources, expires_at: 900 })).toMatchObject({
      child: { grant: { expires_at: 200 } },
    });
    expect(decideSessionToken({ ...ask, resources, token: { ...token, workspace_id: 'wsp_2' } })).toMatchObject({
      effect: 'refuse',
      code: 'token.not_narrower',
    });
    expect(
      decideSessionToken({ ...ask, resources, token: { ...token, grant: { ...token.grant, fs: [] } } }),
    ).toMatchObject({ effect: 'refuse', code: 'token.not_narrower' });
  });

  it('allows nothing in another session, nor does a child of its token', () => {
    const child: CapabilityToken = {
      ...token,
      ...childOf(null),
      capability_token_id: 'cap_c',
      session_approval: approval,
    };
    const grandchild: CapabilityToken = { ...child, capability_token_id: 'cap_g', parent_id: 'cap_c' };
    delete grandchild.session_approval;
    const codeIn = (session_id: string | null, chain: CapabilityToken[]) => {
      const verdict = decideToken({
        chain,
        tenant_id: 'ten_a',
        agent_id: 'agt_a',
        workspace_id: 'wsp_1',
        session_id,
        tool_id: 'fs.write',
        now: 120,
        resources: [],
        tenant_scope: [{ path: '', read: true, write: true }],
      });
      return verdict.effect === 'allow' ? 'allow' : verdict.code;
    };
    for (const chain of [
      [child, token],
      [grandchild, child, token],
    ])
      expect([codeIn('ses', chain), codeIn('other', chain), codeIn(null, chain)]).toEqual([
        'allow',
        'token.scope',
        'token.scope',
      ]);
  });
});

describe('a call is like the one that was approved', () => {
  it('in its session, under its policy, for no reasons but the shown ones', () => {
    expect(isLikeApproved(approval, like, false)).toBe(true);
  });

  it.each<[string, Partial<PendingCall>]>([
    ['in another session', { session_id: 'other' }],
    ['in none', { session_id: null }],
    ['under another policy', { policy_hash: 'b' }],
    ['that is riskier', { risk_score: 0.501 }],
    ['that is risky for another reason', { risk_basis: ['r.a', 'r.c'] }],
    ['that another rule holds', { reasons: [{ code: 'p.a' }, { code: 'p.c' }] }],
  ])('not one %s', (_what, changes) => {
    expect(isLikeApproved(approval, { ...like, ...changes }, true)).toBe(false);
  });

  it('for a command only if it is identical', () => {
    expect([true, false].map((same) => isLikeApproved({ ...approval, args: 'same' }, like, same))).toEqual([
      true,
      false,
    ]);
  });
});
