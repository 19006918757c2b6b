// SPDX-License-Identifier: Apache-2.0
import type { RiskRule } from './rule.ts';

/** Rules on secrets and on access rights. */
export const SECRET_RULES: readonly RiskRule[] = [
  {
    id: 'secret.read',
    when: { kinds: ['credential_read'] },
    points: { policy_sensitivity: 650 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message: '`{form}` would read credentials: `{subject}`',
  },
  {
    id: 'secret.leaves',
    when: { kinds: ['secret_egress'] },
    points: { reversibility: 800, policy_sensitivity: 700 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message: '`{form}` would send secrets to another machine: `{subject}`',
  },
  {
    id: 'secret.file_leaves',
    when: { kinds: ['file_egress'] },
    points: { policy_sensitivity: 600 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message: '`{form}` would send a file from beyond the workspace to another machine: `{subject}`',
  },
  {
    id: 'secret.remote_shell',
    when: { kinds: ['remote_shell'] },
    points: { blast_radius: 800, policy_sensitivity: 800 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message: '`{form}` would let another machine give the commands: `{subject}`',
  },
  {
    id: 'access.changed',
    when: { kinds: ['access_change'] },
    points: { blast_radius: 400, policy_sensitivity: 500 },
    ceiling: 'soft_gate',
    reach: 'beyond',
    message: '`{form}` would change who may do what: `{subject}`',
  },
];
