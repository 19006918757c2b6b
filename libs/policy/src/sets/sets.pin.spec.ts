// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { OBSERVE_POLICY } from './observe-policy.ts';
import { STRICT_POLICY } from './strict-policy.ts';

test.each([
  [DEFAULT_POLICY, '04cc6f4c6f80e8356ab8d86cea25fc3305da7764bb13fbe476a7ed0d86c7ef5b'],
  [STRICT_POLICY, '2515375b91a50357bf64d6da34ab57959c2738d548c9330cd91937d9b4f784ac'],
  [OBSERVE_POLICY, 'cea1ce213e6583bfa16034771be3a874a5fa1bef60d1b2f399ef2cf96277048f'],
])('the hash of a shipped set: a change of its meaning is a change of this, and needs a note for users', (source, hash) => {
  expect(compilePolicySet(source).policy_hash).toBe(hash);
});
