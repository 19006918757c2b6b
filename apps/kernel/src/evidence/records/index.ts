// SPDX-License-Identifier: Apache-2.0
export { composeRecord, type RecordFields, type UnsealedRecord } from './compose-record.ts';
export { RecordSeal, RecordSealer, type RecordSubjects, type SealedRecord } from './record-sealer.ts';
export { SignedSeal } from './signed-seal.ts';
export { traceIdsOf, type TraceIds } from './trace-context.ts';
