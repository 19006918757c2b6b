// SPDX-License-Identifier: Apache-2.0
export { argvOf, environmentOf, secretNamesOf } from './command.ts';
export { functionArgumentFaults, functionFaults } from './function-definition.ts';
export type { DeclaredDraft } from './read-functions.ts';
export { readTenantTools } from './read-tenant-tools.ts';
export { cliDefinition, cliFaults, tenantDefinition } from './definition.ts';
export type { CliToolDraft } from './read-tools.ts';
