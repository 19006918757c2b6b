// SPDX-License-Identifier: Apache-2.0
import type { Zone } from './zones.ts';

/** The kinds of things that a call may do and that some rule speaks of. */
export const ACT_KINDS = [
  'delete',
  'empty',
  'overwrite',
  'append',
  'place',
  'move_out',
  'mode',
  'owner',
  'format',
  'power',
  'privilege',
  'fork_bomb',
  'process_kill',
  'exhaustion',
  'system_change',
  'persistence',
  'trace_removal',
  'container_escape',
  'credential_read',
  'secret_egress',
  'remote_shell',
  'access_change',
  'network',
  'file_egress',
  'work_loss',
  'history_loss',
  'shared_history_loss',
  'remote_loss',
  'publication',
  'database_loss',
  'infrastructure_loss',
  'infrastructure_change',
  'remote_change',
  'named_loss',
  'run_downloaded',
  'run_decoded',
  'run_unknown',
  'evaluation',
  'unread_code',
  'unknown_command',
  'code',
  'unparsed',
  'unread',
  'raw_shell',
  'change',
] as const;
/**
 * `evaluation` is that the shell evaluates a text a second time, `unread_code` that code may change any file, and
 * `unread` that the reading reached the end of its budget; `raw_shell` is that the whole call is a raw command, which a
 * person sees whatever it says; `change` is what a program may do to files that isn't known only to read; `network`,
 * that it speaks to another machine.
 */
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
