// SPDX-License-Identifier: Apache-2.0
export { connect, createPool, POOL_CONNECTIONS_MAX, type Client, type Pool, type PoolOptions } from './pool.ts';
export { verifyDurability } from './durability.ts';
export { inTenant, inTransaction, type TransactionOptions } from './transaction.ts';
export { retryContention } from './backoff.ts';
export { runStatement } from './statement.ts';
export { refreshStatistics, STATISTICS_MS, type AnalysedSchema } from './statistics.ts';
export { UNAWAITED } from './unawaited.ts';
export { codeOf, faultOf, isContention, isUnavailable, violatedConstraint } from './faults.ts';
export { parseInt8, parseInt8Array } from './int8.ts';
export { byteaArray, int2Array, int8Array, textArray } from './binary-array.ts';
export { LOGIN_ROLES, OWNER_ROLE, SCHEMA_USERS, isSchemaName, type LoginRole, type SchemaName } from './roles.ts';
export { addressOf, databaseOf, MAINTENANCE_DATABASE } from './address.ts';
export { grantDatabase, provisionRoles, type Provisioned, type ProvisionOptions } from './provision.ts';
export { migrate, type MigrateOptions } from './migrate.ts';
export { MigrationFailure, prepareDatabase, type PrepareOptions } from './prepare.ts';
export { findMigrations, migrationsIn, type MigrationSource } from './sources.ts';
