// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet } from '../policy-set.ts';
import { DEFAULT_POLICY } from './default-policy.ts';
import { OBSERVE_POLICY } from './observe-policy.ts';
import { STRICT_POLICY } from './strict-policy.ts';

test.each([
  [DEFAULT_POLICY, '68731ac46e83ee7176f41ce7787183a1736acc96e89d91f944e9a608e8dd01c5'],
  [STRICT_POLICY, 'e6c662c6d426fbdbbdf581c0a45fe4925853e4d09677672d599b4f589cce1362'],
  [OBSERVE_POLICY, 'f812c9ae833d867328d91c5768f84d860a0e1f72f15714ec0eb572d477bb0d95'],
])(
  'the hash of a shipped set: a change of its meaning is a change of this, and needs a note for users',
  (source, hash) => {
    expect(compilePolicySet(source).policy_hash).toBe(hash);
  },
);
