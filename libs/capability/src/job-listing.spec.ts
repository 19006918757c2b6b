// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken, JobListing } from '@writ/contract';
import { decideToken, listsTool } from './index.ts';

const root: CapabilityToken = {
  v: 1,
  capability_token_id: 'cap_p',
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  parent_id: null,
  workspace_id: null,
  issuer: 'key_root',
  created_at: 0,
  revoked_at: null,
  grant: {
    tools: ['*'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 100,
    expires_at: 200,
  },
};
const job = (...tools: string[]): JobListing => ({ job_id: 'job_1', tools });
const under: CapabilityToken = {
  ...root,
  capability_token_id: 'cap_j',
  parent_id: 'cap_p',
  issuer: 'key_lister',
  job: job('fs.write'),
};
const { job: _theirs, ...plain } = under;
const child: CapabilityToken = { ...plain, capability_token_id: 'cap_c', parent_id: 'cap_j', issuer: 'key_child' };
const CHAINS = [
  [under, root],
  [child, under, root],
];
const ask = {
  tenant_id: 'ten_a',
  agent_id: 'agt_a',
  workspace_id: 'wsp_1',
  session_id: null,
  tool_id: 'fs.write',
  now: 120,
  resources: [],
  tenant_scope: [{ path: '', read: true, write: true }],
};
const scheduled = { session_mode: 'scheduled', proposed_by: 'key_lister' } as const;

describe('a token of a job', () => {
  it.each(CHAINS)(
    'allows scheduled calls on behalf of the key that listed its tools, and so does a child of it',
    (...chain) => {
      expect(decideToken({ ...ask, ...scheduled, chain })).toEqual({ effect: 'allow' });
    },
  );

  it.each(CHAINS)('allows no calls in other sessions, which need no listing', (...chain) => {
    for (const session_mode of ['interactive', 'gateway'] as const)
      expect(decideToken({ ...ask, ...scheduled, session_mode, chain })).toMatchObject({
        effect: 'refuse',
        code: 'token.scope',
      });
    expect(decideToken({ ...ask, proposed_by: 'key_lister', chain })).toMatchObject({
      effect: 'refuse',
      code: 'token.scope',
    });
  });

  it.each(CHAINS)('allows its agent nothing outside of the job', (...chain) => {
    for (const proposed_by of ['key_agent', 'key_root', 'key_child'])
      expect(decideToken({ ...ask, ...scheduled, proposed_by, chain })).toMatchObject({
        effect: 'refuse',
        code: 'token.scope',
      });
    expect(decideToken({ ...ask, session_mode: 'scheduled', chain })).toMatchObject({
      effect: 'refuse',
      code: 'token.scope',
    });
  });
});

describe('a listing', () => {
  it('has full names of tools, and a child of its token lists no more', () => {
    expect(CHAINS.map((chain) => listsTool(chain, 'fs.write'))).toEqual([true, true]);
    expect(CHAINS.map((chain) => listsTool(chain, 'fs.edit'))).toEqual([false, false]);
    expect(listsTool([{ job: job('fs.write', 'fs.edit') }, under], 'fs.edit')).toBe(false);
    expect(listsTool([{ job: job('fs') }], 'fs.write')).toBe(false);
  });

  it("is empty if no token of the chain is a job's", () => {
    expect([listsTool([root], 'fs.write'), listsTool([], 'fs.write')]).toEqual([false, false]);
  });
});
