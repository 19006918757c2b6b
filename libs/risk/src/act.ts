// SPDX-License-Identifier: Apache-2.0
import type { Zone } from './zones.ts';

/** The kinds of things that a call may do and that some rule speaks of. */
export const ACT_KINDS = [
  'delete', 'overwrite', 'append', 'place', 'move_out', 'mode', 'owner',
  'format', 'power', 'privilege', 'fork_bomb', 'process_kill', 'system_change', 'persistence', 'credential_read', 'trace_removal', 'container_escape',
  'work_loss', 'history_loss', 'remote_loss', 'publication', 'database_loss', 'infrastructure_loss', 'infrastructure_change',
  'run_downloaded', 'run_decoded', 'run_unknown', 'unknown_command', 'code', 'unparsed',
] as const;
export type ActKind = (typeof ACT_KINDS)[number];

/** One thing that a call would do, as far as its arguments tell. */
export interface Act {
  readonly kind: ActKind;
  /** which program or form of it does it, as in `git push --force`; for messages */
  readonly form: string;
  /** what it does it to, for messages; shortened and safe to show */
  readonly subject: string;
  readonly zone?: Zone;
  readonly recursive?: boolean;
  /** more than one named thing: a pattern or a long list */
  readonly many?: boolean;
}
