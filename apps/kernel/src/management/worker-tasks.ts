// SPDX-License-Identifier: Apache-2.0
import { hashesOfDelta } from './garbage-collection/delta-hashes.ts';
import { readSkillFile } from './skills/read-skill.ts';

/** The tasks of management for worker threads. */
export const managementTasks = { 'delta.hashes': hashesOfDelta, 'skill.read': readSkillFile };
export type ManagementTasks = typeof managementTasks;
