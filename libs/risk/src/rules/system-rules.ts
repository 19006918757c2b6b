// SPDX-License-Identifier: Apache-2.0
import type { RiskRule } from './rule.ts';

/** Rules on the machine, its processes and its accounts. */
export const SYSTEM_RULES: readonly RiskRule[] = [
  { id: 'system.privilege', when: { kinds: ['privilege'] }, points: { blast_radius: 500, policy_sensitivity: 900 }, ceiling: 'no_go', reach: 'beyond', message: '`{form}` would act with the rights of another user' },
  { id: 'system.power', when: { kinds: ['power'] }, points: { reversibility: 500, blast_radius: 1000 }, ceiling: 'no_go', reach: 'beyond', message: '`{form}` would stop or restart the machine' },
  { id: 'system.format', when: { kinds: ['format'] }, points: { reversibility: 1000, blast_radius: 900 }, ceiling: 'no_go', reach: 'beyond', message: '`{form}` would format or partition a disk' },
  { id: 'system.fork_bomb', when: { kinds: ['fork_bomb'] }, points: { blast_radius: 1000 }, ceiling: 'no_go', reach: 'beyond', message: '`{subject}` would start itself again and again without end' },
  { id: 'system.container_escape', when: { kinds: ['container_escape'] }, points: { blast_radius: 800, policy_sensitivity: 750 }, ceiling: 'no_go', reach: 'beyond', message: '`{form}` would give a container the rights or files of its host: `{subject}`' },
  { id: 'system.kill_all', when: { kinds: ['process_kill'] }, points: { blast_radius: 600 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would end processes that aren\'t its own: `{subject}`' },
  { id: 'system.exhaustion', when: { kinds: ['exhaustion'] }, points: { blast_radius: 550 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would take disk, time or processes without an end: `{subject}`' },
  { id: 'system.change', when: { kinds: ['system_change'] }, points: { blast_radius: 500, policy_sensitivity: 200 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would change the system: `{subject}`' },
  { id: 'system.persistence', when: { kinds: ['persistence'] }, points: { ambiguity: 300, policy_sensitivity: 500 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would arrange for something to run later by itself: `{subject}`' },
  { id: 'system.traces', when: { kinds: ['trace_removal'] }, points: { reversibility: 300, policy_sensitivity: 500 }, ceiling: 'soft_gate', reach: 'beyond', message: '`{form}` would remove traces of what was run: `{subject}`' },
];
