// SPDX-License-Identifier: Apache-2.0
export { schemaFaults, type SchemaFault } from './schema-faults.ts';
export { SCHEMA_LIMITS, verifySchema, type SchemaProblem } from './verify-schema.ts';
