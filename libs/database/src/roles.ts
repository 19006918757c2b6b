// SPDX-License-Identifier: Apache-2.0

/** Owns schemas and tables and runs migrations; nobody logs in as it. FORCE ROW LEVEL SECURITY binds it too. */
export const OWNER_ROLE = 'writ_owner';

/**
 * The roles that processes log in as: one a process, and one for those of the kernel's workers that serve all tenants.
 */
export const LOGIN_ROLES = [
  'writ_orchestrator',
  'writ_kernel',
  'writ_kernel_worker',
  'writ_executor',
  'writ_ledger',
] as const;
export type LoginRole = (typeof LOGIN_ROLES)[number];

/**
 * Who may name things in which schema. What they may do with a table is granted where the table is made: in its
 * migration.
 */
export const SCHEMA_USERS = {
  orchestrator: ['writ_orchestrator'],
  kernel: ['writ_kernel', 'writ_kernel_worker'],
  ledger: ['writ_ledger'],
  blobs: ['writ_orchestrator', 'writ_executor', 'writ_kernel'],
} as const satisfies Record<string, readonly LoginRole[]>;
export type SchemaName = keyof typeof SCHEMA_USERS;

/** Answers whether the text names one of Writ's schemas. */
export function isSchemaName(text: string): text is SchemaName {
  return Object.hasOwn(SCHEMA_USERS, text);
}
