// SPDX-License-Identifier: Apache-2.0
export { importApi, type ImportedApi } from './import-api.ts';
export type { ImportOptions } from './import-options.ts';
export type { ImportProblem } from './problems.ts';
export type { HttpToolDraft } from './read-operation.ts';
