// SPDX-License-Identifier: Apache-2.0

/** Canonical ids of what the documents name and Writ can't do yet: their calls are parsed, proposed, and refused by the kernel on the record. */
export const NOT_THERE = {
  transcribe: 'audio.transcribe',
  createContainer: 'container.create',
  accessContainer: 'container.access',
  registerStore: 'store.register',
  localStore: 'store.read_local',
  externalStore: 'store.read_external',
  manageAgent: 'agent.manage',
  spawnAgent: 'agent.spawn',
  readSkill: 'skill.read',
  editTask: 'task.edit',
  searchWeb: 'web.search',
} as const;
