// SPDX-License-Identifier: Apache-2.0
import { hashesOfDelta } from './garbage-collection/delta-hashes.ts';
import { readDefinitions } from './mcp-servers/accepted-definitions.ts';
import { readListing } from './mcp-servers/listed-tools.ts';
import { readSkillFile } from './skills/read-skill.ts';
import { readFile } from './tool-registry/read-file.ts';

/** The tasks of management for worker threads. */
export const managementTasks = {
  'delta.hashes': hashesOfDelta,
  'mcp.definitions': readDefinitions,
  'mcp.listing': readListing,
  'skill.read': readSkillFile,
  'tools.read': readFile,
};
export type ManagementTasks = typeof managementTasks;
