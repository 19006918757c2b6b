// SPDX-License-Identifier: Apache-2.0

/**
 * Tools that dialects and documents name and that can't run yet. A call of one is refused on the record as not
 * available, and nothing offers it; once a tool of the id exists, or a tenant registers one, that is called.
 */
export const NOT_AVAILABLE = {
  transcribe: 'audio.transcribe',
  createContainer: 'container.create',
  accessContainer: 'container.access',
  registerStore: 'store.register',
  localStore: 'store.read_local',
  externalStore: 'store.read_external',
  manageAgent: 'agent.manage',
  searchWeb: 'web.search',
  queryVectors: 'vecdb.query',
  findEvents: 'calendar.find',
  draftEmail: 'email.draft',
} as const;

const IDS: ReadonlySet<string> = new Set(Object.values(NOT_AVAILABLE));

/** Answers whether the id is of a tool that is known and not there. */
export const isNotAvailable = (toolId: string): boolean => IDS.has(toolId);
