// SPDX-License-Identifier: Apache-2.0
import { attenuate, isSubset } from '@writ/capability';
import { Fault, type Caller, type CapabilityToken, type Grant } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import fc from 'fast-check';
import { FakeApiKeys } from '../../specs/fake-api-keys.ts';
import { requestOf } from '../../edge/oauth-endpoint/grants.ts';
import { EXCHANGED_SCOPES, TokenExchange, type TokenExchangeParts } from './token-exchange.ts';
import { OauthError } from '../../edge/oauth-endpoint/oauth-error.ts';

const NOW = 1_000_000_000_000;
const MINUTE = 60_000;
const [tenant_id, agent_id, parentId] = [newId('tenant'), newId('agent'), newId('token')];
const caller: Caller = { tenant_id, agent_id, api_key_id: newId('apiKey'), role: 'agent' };

const tools = fc.subarray(['*', 'fs.*', 'fs.read', 'fs.write', 'http.get', 'http.*']);
const grants: fc.Arbitrary<Grant> = fc.record(
  {
    tools,
    fs: fc.array(
      fc.record({ path: fc.constantFrom('', 'src', 'src/a', 'doc'), read: fc.boolean(), write: fc.boolean() }),
      { maxLength: 2 },
    ),
    net: fc.array(
      fc.record({ domain: fc.constantFrom('*.a.org', 'b.a.org', 'c.org'), methods: fc.subarray(['GET', 'PUT']) }),
      { maxLength: 2 },
    ),
    secrets: fc.subarray(['A', 'B']),
    profiles: fc.subarray(['strict', 'wide']),
    resources: fc.subarray(['mailbox:a', 'mailbox:b']),
    budgets: fc.record({ calls: fc.nat(3), egress_bytes: fc.nat(3) }, { requiredKeys: [] }),
    not_before: fc.constantFrom(0, NOW - MINUTE),
    expires_at: fc.integer({ min: NOW - MINUTE, max: NOW + 60 * MINUTE }),
  },
  { requiredKeys: ['tools', 'fs', 'net', 'secrets', 'budgets', 'not_before', 'expires_at'] },
);
const tokenOf = (grant: Grant): CapabilityToken => ({
  v: 1,
  capability_token_id: parentId,
  tenant_id,
  agent_id,
  parent_id: null,
  workspace_id: null,
  grant,
  issuer: 'k',
  created_at: 0,
  revoked_at: null,
});

interface Outcome {
  readonly child: Grant | null;
  readonly end: number | null;
  readonly scopes: readonly string[] | null;
  readonly refused: string | null;
}

/** Exchanges with a kernel that narrows as the real one does. */
async function exchange(
  parent: Grant,
  fields: Readonly<Record<string, string>>,
  subject: { readonly expires_at: number | null; readonly scopes: readonly string[] },
): Promise<Outcome> {
  let child: Grant | null = null;
  const keys = new FakeApiKeys(() => NOW);
  const kernel = {
    ask: async (verb: string, _by: Caller, asked: { grant?: Grant }) => {
      const token = tokenOf(parent);
      if (verb === 'token.read') return token;
      const verdict = attenuate(token, asked.grant ?? {});
      if (verdict.effect === 'refuse') throw new Fault(verdict.code, verdict.message);
      child = verdict.child.grant;
      return { ...token, capability_token_id: newId('token'), grant: child };
    },
  } as unknown as TokenExchangeParts['kernel'];
  const identified = { kind: 'api_key', caller, is_former: false, bound_token: null, ...subject } as const;
  const grant = new TokenExchange({
    kernel,
    keys,
    authenticator: { identifyFully: async () => identified },
    rate: { consume: () => [] },
    perKey: { consume: () => undefined },
    publicUrl: 'https://writ.example.org',
    now: () => NOW,
  }).grant;
  try {
    const { access_token } = await grant(requestOf('192.0.2.1', new URLSearchParams(fields)));
    const presented = await keys.present(await hashOf(access_token));
    return { child, end: presented?.expires_at ?? null, scopes: presented?.scopes ?? null, refused: null };
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    return { child, end: null, scopes: null, refused: error.error };
  }
}

async function hashOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

const fieldsOf = (asked: Partial<Grant>, more: object): Record<string, string> => {
  const { tools: named = [], not_before: _from, expires_at: _until, ...members } = asked;
  return {
    subject_token: 'x',
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    scope: named.join(' '),
    authorization_details: JSON.stringify([{ type: 'writ_grant', capability_token_id: parentId, ...members, ...more }]),
  };
};

it('what is exchanged never exceeds its token, its subject or fifteen minutes, in any dimension', async () => {
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(
      grants,
      grants,
      fc.subarray(['tools', 'fs', 'net', 'secrets', 'profiles', 'resources', 'budgets']),
      fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
      fc.record({
        expires_at: fc.option(fc.integer({ min: NOW - MINUTE, max: NOW + 60 * MINUTE })),
        scopes: fc.subarray([...EXCHANGED_SCOPES, 'approvals:write']),
      }),
      async (parent, wanted, kept, expires_in, subject) => {
        // Some members are copied from the token, so that not every request is refused.
        const asked = { ...wanted, ...Object.fromEntries(kept.map((name) => [name, parent[name as 'tools']])) };
        const fields = fieldsOf(asked, expires_in === undefined ? {} : { expires_in });
        const { child, end, scopes, refused } = await exchange(parent, fields, subject);
        if (refused !== null) return;
        granted += 1;
        if (child === null) throw new Error('granted without the kernel');
        expect(isSubset(child, parent)).toBe(true);
        expect(child.tools).toEqual(asked.tools);
        expect(child.tools.length).toBeGreaterThan(0);
        const ends = [parent.expires_at, subject.expires_at ?? Infinity, NOW + (expires_in ?? 900) * 1_000];
        expect(end).toBe(child.expires_at);
        expect(child.expires_at).toBeLessThanOrEqual(Math.min(...ends));
        expect(scopes?.every((scope) => EXCHANGED_SCOPES.includes(scope))).toBe(true);
        if (subject.scopes.length > 0) expect(scopes?.every((scope) => subject.scopes.includes(scope))).toBe(true);
      },
    ),
    { numRuns: 1_500 },
  );
  expect(granted).toBeGreaterThan(100);
});
