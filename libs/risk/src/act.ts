// SPDX-License-Identifier: Apache-2.0
import type { Zone } from './zones.ts';

/** The kinds of effects of a call that rules refer to. */
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
  'own_service',
  'mail',
  'mail_outside',
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
 * `evaluation`: the shell evaluates a text a second time. `unread_code`: code may change any file. `unread`: the budget
 * ended before the command was read. `raw_shell`: the whole call is a raw command, which needs an approval whatever its
 * text is. `change`: a program may change files, and isn't known only to read them. `network`: it communicates with
 * another machine. `own_service`: it reads from a service that keeps the tenant's own data. `mail`, `mail_outside`: it
 * addresses a message to people, at least one of them outside of the sender's domain.
 */
export type ActKind = (typeof ACT_KINDS)[number];

/** One effect of a call, as far as its arguments show. */
export interface Act {
  readonly kind: ActKind;
  /** the program or the form of it that has the effect, such as `git push --force`; for messages */
  readonly form: string;
  /** the target of the effect, for messages; shortened and safe to show */
  readonly subject: string;
  readonly zone?: Zone;
  readonly recursive?: boolean;
  /** more than one named target: a pattern or a long list */
  readonly many?: boolean;
}
