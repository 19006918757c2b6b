// SPDX-License-Identifier: Apache-2.0
export { importApi, type ImportedApi, type ImportedOperation, type ImportOptions } from './import-api.ts';
export { DOCUMENT_LIMITS } from './read-document.ts';
export type { ImportProblem } from './problems.ts';
export type { HttpToolDraft } from './read-operation.ts';
