// SPDX-License-Identifier: Apache-2.0
import type { Group } from '../command-group.ts';

/** The commands that look at an installation as a whole. */
export const STATUS_GROUPS: readonly Group[] = [
  {
    name: 'status',
    summary: 'what this program talks to, and whether it works',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'doctor',
    summary: 'whether an installation keeps its promises',
    load: async () => (await import('../doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'open',
    summary: 'open a page of the server in the browser',
    load: async () => (await import('./open.ts')).openCommand,
  },
];
