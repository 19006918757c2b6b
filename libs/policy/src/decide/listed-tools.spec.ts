// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { compilePolicySet } from '../policy-set.ts';
import { PLAIN_ASK } from '../plain-request.contract.ts';
import { DEFAULT_POLICY } from '../sets/default-policy.ts';
import { decidePolicy } from './decide-policy.ts';

const RELEASE = {
  ...PLAIN_ASK,
  tool_id: 'release',
  category: 'admin',
  tool_class: 'sandboxed',
  resources: [],
  session_mode: 'scheduled',
} as const;

test("S6.14: an admin tool of a tenant is refused in a scheduled session unless the job's policy lists it", () => {
  const set = compilePolicySet(DEFAULT_POLICY);
  expect(decidePolicy(set, RELEASE).mode).toBe('no_go');
  expect(decidePolicy(set, { ...RELEASE, job_lists_tool: true }).mode).not.toBe('no_go');
});

test("a rule may name a tool of a tenant where it is checked against that tenant's tools, and nowhere else", () => {
  const document = {
    ...DEFAULT_POLICY,
    name: 'mine',
    cedar: `${DEFAULT_POLICY.cedar}\n@id("no_releases") forbid (principal, action == Action::"release", resource);`,
  };
  expect(() => compilePolicySet(document)).toThrow('release');
  const set = compilePolicySet(document, [...TOOLS.values(), { tool_id: 'release', category: 'admin' }]);
  expect(decidePolicy(set, { ...RELEASE, session_mode: 'interactive' })).toMatchObject({
    mode: 'no_go',
    rule_ids: ['no_releases'],
  });
});
