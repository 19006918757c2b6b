// SPDX-License-Identifier: Apache-2.0
export { argvOf, commandLineOf, environmentOf, secretNamesOf } from './command.ts';
export { declaredArgumentFaults, declaredDefinition, declaredFaults } from './declared-definition.ts';
export type { DeclaredDraft } from './read-functions.ts';
export { readTenantTools, type TenantToolsRead } from './read-tenant-tools.ts';
export { cliDefinition, cliFaults, tenantDefinition } from './definition.ts';
export { readToolFile, type CliToolDraft, type ToolsRead } from './read-tools.ts';
