// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken } from '@writ/contract';
import { attenuate, type AttenuationRequest } from './attenuate.ts';

const parent: CapabilityToken = {
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
    tools: ['fs.*'],
    fs: [{ path: 'src', read: true, write: false }],
    net: [{ domain: '*.a.org', methods: ['GET'] }],
    secrets: ['KEY'],
    budgets: { calls: 10 },
    not_before: 100,
    expires_at: 200,
  },
};

const refusalOf = (request: AttenuationRequest) => {
  const verdict = attenuate(parent, request);
  return verdict.effect === 'refuse' ? `${verdict.code} ${verdict.message.split('`')[1]}` : 'allow';
};

describe('attenuation', () => {
  test("an empty request returns the parent's grant", () => {
    expect(attenuate(parent, {})).toEqual({
      effect: 'allow',
      child: { tenant_id: 'ten_a', parent_id: 'cap_p', workspace_id: 'wsp_1', grant: parent.grant },
    });
  });

  test("a narrower child is made as requested, with the parent's budgets where none is named", () => {
    const verdict = attenuate(parent, { tools: ['fs.read'], budgets: { cpu_ms: 5 }, expires_at: 150 });
    expect(verdict).toMatchObject({
      child: { grant: { tools: ['fs.read'], budgets: { calls: 10, cpu_ms: 5 }, expires_at: 150 } },
    });
  });

  test.each([
    [{ tools: ['fs.read', '*'] }, 'token.not_narrower tools'],
    [{ fs: [{ path: 'src/a', read: true, write: true }] }, 'token.not_narrower fs'],
    [{ fs: [{ path: '', read: true, write: false }] }, 'token.not_narrower fs'],
    [{ fs: [{ path: 'src/../..', read: false, write: false }] }, 'token.not_narrower fs'],
    [{ net: [{ domain: 'x.a.org', methods: ['GET', 'POST'] }] }, 'token.not_narrower net'],
    [{ secrets: ['KEY', 'OTHER'] }, 'token.not_narrower secrets'],
    [{ budgets: { calls: 11 } }, 'token.not_narrower budgets'],
    [{ not_before: 99 }, 'token.not_narrower not_before'],
    [{ expires_at: 201 }, 'token.not_narrower expires_at'],
    [{ not_before: 150, expires_at: 150 }, 'token.not_narrower expires_at'],
    [{ workspace_id: 'wsp_2' }, 'token.not_narrower workspace_id'],
    [{ workspace_id: null }, 'token.not_narrower workspace_id'],
  ] satisfies [AttenuationRequest, string][])('a child that reaches further is refused: %j', (request, expected) => {
    expect(refusalOf(request)).toBe(expected);
  });

  test('a child of a parent for any workspace may be bound to one', () => {
    expect(attenuate({ ...parent, workspace_id: null }, { workspace_id: 'wsp_2' })).toMatchObject({
      child: { workspace_id: 'wsp_2' },
    });
  });
});
