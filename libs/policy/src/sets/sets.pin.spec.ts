// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { OBSERVE_POLICY } from './observe-policy.ts';
import { STRICT_POLICY } from './strict-policy.ts';

test.each([
  [DEFAULT_POLICY, '801c90160c521b1f5a19b9de021b9878f265e4c2f1d7ac7f43a7a5d08ba8e782'],
  [STRICT_POLICY, '2515375b91a50357bf64d6da34ab57959c2738d548c9330cd91937d9b4f784ac'],
  [OBSERVE_POLICY, 'c1c8ad61793149fe6cb476cd9c209d03f585cae669914e8d417e8860479c32fc'],
])('the hash of a shipped set: a change of its meaning is a change of this, and needs a note for users', (source, hash) => {
  expect(compilePolicySet(source).policy_hash).toBe(hash);
});
