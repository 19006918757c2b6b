// SPDX-License-Identifier: Apache-2.0
import type { RiskRule } from './rule.ts';

/** Rules on commands of which nobody can tell what they run. */
export const RUN_RULES: readonly RiskRule[] = [
  { id: 'run.downloaded', when: { kinds: ['run_downloaded'] }, points: { ambiguity: 500, policy_sensitivity: 400 }, ceiling: 'soft_gate', reach: 'beyond', message: '{form} would run what was just downloaded' },
  { id: 'run.decoded', when: { kinds: ['run_decoded'] }, points: { ambiguity: 500, policy_sensitivity: 200 }, ceiling: 'soft_gate', reach: 'beyond', message: '{form} would run a text that was hidden in an encoding' },
  { id: 'run.unknown', when: { kinds: ['run_unknown'] }, points: { ambiguity: 550 }, ceiling: 'soft_gate', reach: 'beyond', message: '{form} would run `{subject}`, and what that is can\'t be told' },
  { id: 'run.evaluated', when: { kinds: ['evaluation'] }, points: { ambiguity: 550 }, ceiling: 'soft_gate', reach: 'beyond', message: '{form} would evaluate `{subject}` a second time, and it is no literal number' },
  { id: 'run.unread_code', when: { kinds: ['unread_code'] }, points: { ambiguity: 450 }, ceiling: 'soft_gate', reach: 'workspace', message: 'the {form} code may change or start anything, and can\'t be read: `{subject}`' },
  { id: 'run.code', when: { kinds: ['code'] }, points: { reversibility: 300, ambiguity: 360 }, ceiling: 'soft_gate', reach: 'beyond', message: 'the {form} code would delete files, multiply itself or hide what it runs: `{subject}`' },
  { id: 'shell.unknown_command', when: { kinds: ['unknown_command'] }, points: { ambiguity: 550 }, ceiling: 'soft_gate', reach: 'beyond', message: 'which program `{subject}` is can\'t be told' },
  { id: 'shell.raw', when: { kinds: ['raw_shell'] }, points: { ambiguity: 200, blast_radius: 250, policy_sensitivity: 200 }, ceiling: 'soft_gate', reach: 'beyond', message: '{form} would be given a raw command: `{subject}`' },
  { id: 'shell.unparsed', when: { kinds: ['unparsed'] }, points: { ambiguity: 600 }, ceiling: 'soft_gate', reach: 'beyond', message: 'the command can\'t be understood as bash: `{subject}`' },
  { id: 'shell.unread', when: { kinds: ['unread'] }, points: { ambiguity: 600 }, ceiling: 'soft_gate', reach: 'beyond', message: 'the command is too long to be read to its end: `{subject}`' },
];
