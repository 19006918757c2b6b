// SPDX-License-Identifier: Apache-2.0
import type { RiskRule } from './rule.ts';

/** Rules on what commands do beside changing files. */
export const COMMAND_RULES: readonly RiskRule[] = [
  { id: 'system.privilege', when: { kinds: ['privilege'] }, points: 950, ceiling: 'no_go', dimension: 'policy_sensitivity', message: '`{form}` would act with the rights of another user' },
  { id: 'system.power', when: { kinds: ['power'] }, points: 1000, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would stop or restart the machine' },
  { id: 'system.format', when: { kinds: ['format'] }, points: 1000, ceiling: 'no_go', dimension: 'reversibility', message: '`{form}` would format or partition a disk' },
  { id: 'system.fork_bomb', when: { kinds: ['fork_bomb'] }, points: 1000, ceiling: 'no_go', dimension: 'blast_radius', message: '`{subject}` would start itself again and again without end' },
  { id: 'system.container_escape', when: { kinds: ['container_escape'] }, points: 950, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would give a container the rights or files of its host: `{subject}`' },
  { id: 'system.kill_all', when: { kinds: ['process_kill'] }, points: 600, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would end every process there is' },
  { id: 'system.change', when: { kinds: ['system_change'] }, points: 600, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would change the system: `{subject}`' },
  { id: 'system.persistence', when: { kinds: ['persistence'] }, points: 650, ceiling: 'soft_gate', dimension: 'policy_sensitivity', message: '`{form}` would arrange for something to run later by itself: `{subject}`' },
  { id: 'system.credentials', when: { kinds: ['credential_read'] }, points: 650, ceiling: 'soft_gate', dimension: 'policy_sensitivity', message: '`{form}` would read credentials: `{subject}`' },
  { id: 'system.traces', when: { kinds: ['trace_removal'] }, points: 650, ceiling: 'soft_gate', dimension: 'policy_sensitivity', message: '`{form}` would remove traces of what was run: `{subject}`' },

  { id: 'loss.work', when: { kinds: ['work_loss'] }, points: 600, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would throw away work that isn\'t stored elsewhere: `{subject}`' },
  { id: 'loss.history', when: { kinds: ['history_loss'] }, points: 650, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would rewrite or drop history: `{subject}`' },
  { id: 'loss.database', when: { kinds: ['database_loss'] }, points: 700, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would drop or empty data: `{subject}`' },
  { id: 'loss.infrastructure', when: { kinds: ['infrastructure_loss'] }, points: 700, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would remove infrastructure: `{subject}`' },
  { id: 'loss.remote', when: { kinds: ['remote_loss'] }, points: 650, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would delete something elsewhere: `{subject}`' },
  { id: 'remote.infrastructure', when: { kinds: ['infrastructure_change'] }, points: 550, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would change infrastructure: `{subject}`' },
  { id: 'remote.publication', when: { kinds: ['publication'] }, points: 600, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would publish something that can\'t be taken back: `{subject}`' },

  { id: 'run.downloaded', when: { kinds: ['run_downloaded'] }, points: 700, ceiling: 'soft_gate', dimension: 'ambiguity', message: '{form} would run what was just downloaded' },
  { id: 'run.decoded', when: { kinds: ['run_decoded'] }, points: 600, ceiling: 'soft_gate', dimension: 'ambiguity', message: '{form} would run a text that was hidden in an encoding' },
  { id: 'run.unknown', when: { kinds: ['run_unknown'] }, points: 550, ceiling: 'soft_gate', dimension: 'ambiguity', message: '{form} would run `{subject}`, and what that is can\'t be told' },
  { id: 'run.code', when: { kinds: ['code'] }, points: 550, ceiling: 'soft_gate', dimension: 'ambiguity', message: 'the {form} code would delete files, multiply itself or hide what it runs: `{subject}`' },
  { id: 'shell.unknown_command', when: { kinds: ['unknown_command'] }, points: 550, ceiling: 'soft_gate', dimension: 'ambiguity', message: 'which program `{subject}` is can\'t be told' },
  { id: 'shell.unparsed', when: { kinds: ['unparsed'] }, points: 600, ceiling: 'soft_gate', dimension: 'ambiguity', message: 'the command can\'t be understood as bash: `{subject}`' },
];
