// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { OBSERVE_POLICY } from './observe-policy.ts';
import { STRICT_POLICY } from './strict-policy.ts';

test.each([
  [DEFAULT_POLICY, '7986f8f4f4b8900ba25a1fc738f43ba41e58fbb0526f360889fe4a2d5ce7e088'],
  [STRICT_POLICY, 'd2397d50d208c031ac0faaa8fd654b82ecd8f7edd62dcee9753fb33a7f3b4c75'],
  [OBSERVE_POLICY, '67b05d9ed4d5d2fae93f110b13827aa51cd86f858715c5167be0d9c7eb9324a6'],
])(
  'the hash of a shipped set: a change of its meaning is a change of this, and needs a note for users',
  (source, hash) => {
    expect(compilePolicySet(source).policy_hash).toBe(hash);
  },
);
