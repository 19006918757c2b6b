// SPDX-License-Identifier: Apache-2.0
import type { RiskRule } from './rule.ts';

/** Rules on what is lost, changed or made known elsewhere. */
export const LOSS_RULES: readonly RiskRule[] = [
  { id: 'loss.work', when: { kinds: ['work_loss'] }, points: { reversibility: 600 }, ceiling: 'soft_gate', reach: 'workspace', message: '`{form}` would throw away work that isn\'t stored elsewhere: `{subject}`' },
  { id: 'loss.history', when: { kinds: ['history_loss'] }, points: { reversibility: 650 }, ceiling: 'soft_gate', reach: 'workspace', message: '`{form}` would rewrite or drop history: `{subject}`' },
  { id: 'loss.shared_history', when: { kinds: ['shared_history_loss'] }, points: { reversibility: 500, blast_radius: 400 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would rewrite or drop history that others share: `{subject}`' },
  { id: 'loss.database', when: { kinds: ['database_loss'] }, points: { reversibility: 600, blast_radius: 250 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would drop or empty data: `{subject}`' },
  { id: 'loss.infrastructure', when: { kinds: ['infrastructure_loss'] }, points: { reversibility: 400, blast_radius: 500 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would remove infrastructure: `{subject}`' },
  { id: 'loss.remote', when: { kinds: ['remote_loss'] }, points: { reversibility: 500, blast_radius: 300 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would delete something elsewhere: `{subject}`' },
  { id: 'loss.by_name', when: { kinds: ['named_loss'] }, points: { reversibility: 200, ambiguity: 400 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` isn\'t known, and `{subject}` says that it destroys or publishes something' },
  { id: 'remote.infrastructure', when: { kinds: ['infrastructure_change'] }, points: { blast_radius: 550 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would change infrastructure or data elsewhere: `{subject}`' },
  { id: 'remote.change', when: { kinds: ['remote_change'] }, points: { blast_radius: 250 }, ceiling: 'none', reach: 'beyond', message: '`{form}` would change what runs elsewhere: `{subject}`' },
  { id: 'remote.publication', when: { kinds: ['publication'] }, points: { reversibility: 500, policy_sensitivity: 200 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would publish something that can\'t be taken back: `{subject}`' },
];
