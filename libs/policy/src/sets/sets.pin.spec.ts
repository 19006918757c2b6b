// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { OBSERVE_POLICY } from './observe-policy.ts';
import { STRICT_POLICY } from './strict-policy.ts';

test.each([
  [DEFAULT_POLICY, 'bdaf4b981d4813aaff5fe23e3fcf65098b1af2e9357e9dc7f70b77ea8794a1e2'],
  [STRICT_POLICY, 'b3934a58ded1a07d6f0a6181f5b6a3e701f44a7693201e705c4465f0efadef68'],
  [OBSERVE_POLICY, '567ba7870505f6d95bb5626327ae6af620506dadd93dc46ae1a18b252222d7b9'],
])('the hash of a shipped set: a change of its meaning is a change of this, and needs a note for users', (source, hash) => {
  expect(compilePolicySet(source).policy_hash).toBe(hash);
});
