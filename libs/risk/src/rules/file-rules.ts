// SPDX-License-Identifier: Apache-2.0
import type { RiskRule } from './rule.ts';

/** Rules on what happens to files. */
export const FILE_RULES: readonly RiskRule[] = [
  { id: 'delete.root', when: { kinds: ['delete'], zones: ['root'] }, points: 1000, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would delete `{subject}`, which is the whole file system' },
  { id: 'delete.home', when: { kinds: ['delete'], zones: ['home'] }, points: 1000, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would delete `{subject}`, which is a home directory' },
  { id: 'delete.workspace', when: { kinds: ['delete'], zones: ['workspace'], recursive: true }, points: 1000, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would delete `{subject}`, which is the whole workspace' },
  { id: 'delete.outside', when: { kinds: ['delete'], zones: ['system', 'outside', 'device'] }, points: 950, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would delete `{subject}`, which is outside the workspace' },
  { id: 'delete.workspace_files', when: { kinds: ['delete'], zones: ['workspace'], recursive: false }, points: 650, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would delete every file at the top of the workspace' },
  { id: 'delete.git', when: { kinds: ['delete'], zones: ['history'] }, points: 650, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would delete `{subject}`, which holds the repository\'s history' },
  { id: 'delete.tree', when: { kinds: ['delete'], zones: ['inside'], recursive: true }, points: 600, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would delete `{subject}` and all that is in it' },
  { id: 'delete.many', when: { kinds: ['delete'], zones: ['inside'], recursive: false, many: true }, points: 550, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would delete or empty many files: `{subject}`' },
  { id: 'delete.unknown', when: { kinds: ['delete'], zones: ['unknown'] }, points: 550, ceiling: 'soft_gate', dimension: 'ambiguity', message: '`{form}` would delete `{subject}`, and what that is can\'t be told' },
  { id: 'delete.scratch_tree', when: { kinds: ['delete'], zones: ['scratch'], recursive: true }, points: 400, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would delete `{subject}` and all that is in it' },
  { id: 'delete.file', when: { kinds: ['delete'], zones: ['inside'], recursive: false, many: false }, points: 150, ceiling: 'none', dimension: 'reversibility', message: '`{form}` would delete the file `{subject}`' },
  { id: 'delete.regenerable', when: { kinds: ['delete'], zones: ['regenerable', 'temporary'] }, points: 80, ceiling: 'none', dimension: 'reversibility', message: '`{form}` would delete `{subject}`, which can be made again' },
  { id: 'delete.scratch', when: { kinds: ['delete'], zones: ['scratch'], recursive: false }, points: 80, ceiling: 'none', dimension: 'reversibility', message: '`{form}` would delete the temporary file `{subject}`' },

  { id: 'write.device', when: { kinds: ['overwrite', 'append', 'place'], zones: ['device'] }, points: 1000, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would write to the device `{subject}`' },
  { id: 'write.system', when: { kinds: ['overwrite', 'place'], zones: ['system', 'root'] }, points: 950, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would write to `{subject}`, which belongs to the system' },
  { id: 'write.outside', when: { kinds: ['overwrite'], zones: ['outside', 'home'] }, points: 900, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would overwrite `{subject}`, which is outside the workspace' },
  { id: 'write.append_outside', when: { kinds: ['append'], zones: ['outside', 'home', 'system', 'root'] }, points: 600, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would add to `{subject}`, which is outside the workspace' },
  { id: 'write.place_outside', when: { kinds: ['place'], zones: ['outside', 'home'] }, points: 500, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would put something at `{subject}`, which is outside the workspace' },
  { id: 'write.git', when: { kinds: ['overwrite', 'append', 'place'], zones: ['history'] }, points: 600, ceiling: 'soft_gate', dimension: 'policy_sensitivity', message: '`{form}` would change `{subject}` within the repository\'s own data' },
  { id: 'write.unknown', when: { kinds: ['overwrite', 'append', 'place'], zones: ['unknown'] }, points: 200, ceiling: 'none', dimension: 'ambiguity', message: '`{form}` would write to `{subject}`, and what that is can\'t be told' },
  { id: 'move.outside', when: { kinds: ['move_out'] }, points: 600, ceiling: 'soft_gate', dimension: 'reversibility', message: '`{form}` would move `{subject}` across the border of the workspace' },

  { id: 'mode.outside', when: { kinds: ['mode', 'owner'], zones: ['root', 'home', 'system', 'outside', 'device'], recursive: true }, points: 950, ceiling: 'no_go', dimension: 'blast_radius', message: '`{form}` would change all of `{subject}`, which is outside the workspace' },
  { id: 'mode.system', when: { kinds: ['mode', 'owner'], zones: ['root', 'system', 'device'], recursive: false }, points: 700, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would change `{subject}`, which belongs to the system' },
  { id: 'mode.drastic_tree', when: { kinds: ['mode'], zones: ['workspace', 'inside', 'history', 'unknown', 'scratch'], recursive: true, many: true }, points: 550, ceiling: 'soft_gate', dimension: 'blast_radius', message: '`{form}` would open or close all of `{subject}` to everybody' },
  { id: 'mode.unknown_tree', when: { kinds: ['mode', 'owner'], zones: ['unknown'], recursive: true }, points: 500, ceiling: 'soft_gate', dimension: 'ambiguity', message: '`{form}` would change all of `{subject}`, and what that is can\'t be told' },
  { id: 'mode.drastic', when: { kinds: ['mode'], zones: ['inside', 'outside', 'home'], recursive: false, many: true }, points: 250, ceiling: 'none', dimension: 'policy_sensitivity', message: '`{form}` would open or close `{subject}` to everybody' },
];
