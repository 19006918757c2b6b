// SPDX-License-Identifier: Apache-2.0
import type { ActKind } from '../act.ts';

/** The kinds of acts that destroy something, for the rule that counts such calls. */
export const DESTROYS = [
  'delete',
  'empty',
  'work_loss',
  'history_loss',
  'shared_history_loss',
  'database_loss',
  'infrastructure_loss',
  'remote_loss',
] as const satisfies readonly ActKind[];
