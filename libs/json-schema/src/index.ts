// SPDX-License-Identifier: Apache-2.0
export { schemaFaults, type SchemaFault } from './schema-faults.ts';
export { CHECK_STEPS_MAX } from './steps.ts';
export { verifySchema } from './verify-schema.ts';
