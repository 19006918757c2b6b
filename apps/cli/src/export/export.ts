// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import type { Context } from '../context.ts';
import { exportBundleCommand } from './export-bundle.ts';
import { exportRecordsCommand } from './export-records.ts';

/** `writ export`. */
export function exportCommand(context: Context): Command {
  return new Command('export').addCommand(exportRecordsCommand(context)).addCommand(exportBundleCommand(context));
}
