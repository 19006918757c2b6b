// SPDX-License-Identifier: Apache-2.0

/** Owns schemas and tables and runs migrations; it cannot log in. FORCE ROW LEVEL SECURITY applies to it too. */
export const OWNER_ROLE = 'writ_owner';

/** The roles that processes log in as: one per process, and one for those kernel workers that serve all tenants. */
export const LOGIN_ROLES = [
  'writ_orchestrator',
  'writ_kernel',
  'writ_kernel_worker',
  'writ_executor',
  'writ_ledger',
] as const;
export type LoginRole = (typeof LOGIN_ROLES)[number];

/** The roles that may use each schema. Rights on a table are granted in the SQL file of that table. */
export const SCHEMA_USERS = {
  orchestrator: ['writ_orchestrator'],
  kernel: ['writ_kernel', 'writ_kernel_worker'],
  ledger: ['writ_ledger'],
  blobs: ['writ_orchestrator', 'writ_executor', 'writ_kernel'],
  audio: ['writ_orchestrator', 'writ_executor', 'writ_kernel', 'writ_kernel_worker'],
  info_store: ['writ_executor', 'writ_kernel'],
} as const satisfies Record<string, readonly LoginRole[]>;
export type SchemaName = keyof typeof SCHEMA_USERS;

/** Answers whether the text names one of Writ's schemas. */
export function isSchemaName(text: string): text is SchemaName {
  return Object.hasOwn(SCHEMA_USERS, text);
}
