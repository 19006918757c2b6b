// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_POLICY } from './default-policy.ts';
import { compilePolicySet } from './policy-set.ts';

test('the hash of the default policy: a change of its meaning is a change of this, and needs a note for users', () => {
  expect(compilePolicySet(DEFAULT_POLICY).policy_hash).toBe('d303b92734c2bff5958585b9f6c5920ee3a9afa62c271bcce9b5d1b13a54983c');
});
