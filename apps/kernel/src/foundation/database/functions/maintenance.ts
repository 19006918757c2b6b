// SPDX-License-Identifier: Apache-2.0
import type { SystemReport } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** The reply of kernel.system_report. */
export type DatabaseReport = Omit<SystemReport['database'], 'durable'> & Pick<SystemReport, 'outbox' | 'migrations'>;

/** The functions of `sql/functions/maintenance` that the kernel calls itself. */
export const maintenanceFunctions = {
  systemReport: kernelFunction<DatabaseReport>()(
    'kernel.system_report',
    { rows_max: sqlTypes.integer },
    { returns: 'value' },
  ),
} as const;
