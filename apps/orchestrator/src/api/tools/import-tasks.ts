// SPDX-License-Identifier: Apache-2.0
import { importApi, type ImportedApi, type ImportOptions } from '@writ/openapi';
import { taskOf } from '../../edge/work/worker-tasks.ts';

/** A document and how it is imported. */
export interface ImportWork {
  readonly document: string;
  readonly options: ImportOptions;
}

/** Reading documents, whose size a caller decides, for worker threads. */
export const IMPORT_TASKS = {
  'openapi.import': ({ document, options }: ImportWork): ImportedApi => importApi(document, options),
};

/** The longest document takes a few seconds on a busy machine. */
export const IMPORT_OPENAPI = taskOf<typeof IMPORT_TASKS, 'openapi.import'>('openapi.import', 20_000);
