// SPDX-License-Identifier: Apache-2.0
export { connect, createPool, POOL_CONNECTIONS_MAX, type Client, type Pool, type PoolOptions } from './pool.ts';
export { isDurable, verifyDurability } from './durability.ts';
export { inTenant, inTransaction, type TransactionOptions } from './transaction.ts';
export { retryContention } from './backoff.ts';
export { runStatement } from './statement.ts';
export { refreshStatistics, STATISTICS_MS, type AnalysedSchema } from './statistics.ts';
export { ASYNC_COMMIT } from './async-commit.ts';
export { SQL_ERRORS, isSqlError, type SqlErrorName } from './sql-function/sql-errors.ts';
export {
  sqlFunction,
  type CallOptions,
  type SqlArguments,
  type SqlFunction,
  type SqlFunctionOptions,
  type SqlFunctionRow,
  type SqlParameters,
  type SqlResult,
  type SqlReturns,
} from './sql-function/sql-function.ts';
export { sqlTypes, type SqlType } from './sql-function/sql-types.ts';
export { codeOf, faultOf, isContention, isUnavailable, violatedConstraint } from './faults.ts';
export { parseInt8, parseInt8Array } from './int8.ts';
export { byteaArray, int2Array, int4Array, int8Array, textArray } from './binary-array.ts';
export { LOGIN_ROLES, OWNER_ROLE, SCHEMA_USERS, isSchemaName, type LoginRole, type SchemaName } from './roles.ts';
export { addressOf, databaseOf, MAINTENANCE_DATABASE } from './address.ts';
export { grantDatabase, provisionRoles, type Provisioned, type ProvisionOptions } from './provision.ts';
export { MigrationFailure, prepareDatabase, type Prepared, type PrepareOptions } from './prepare.ts';
export { findSchemas, schemasIn, type SchemaSource } from './schema-sources.ts';
export { applySchema, type AppliedSchema, type ApplyOptions } from './schema/apply-schema.ts';
export { readSchemaFiles, type SchemaFiles, type SqlFile } from './schema/schema-files.ts';
