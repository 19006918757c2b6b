// SPDX-License-Identifier: Apache-2.0
import type { ContainerView, ShellAttachReply } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** Where the shell of a call is. */
export type AttachedShell = Omit<ShellAttachReply, 'v'>;

/** The functions of `sql/functions/shells` that the kernel calls. */
export const shellsFunctions = {
  attachShell: kernelFunction<AttachedShell | null>()(
    'kernel.attach_shell',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      attempt: sqlTypes.integer,
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      opens: sqlTypes.boolean,
      shell: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
    },
    { returns: 'value' },
  ),
  containers: kernelFunction<ContainerView[]>()(
    'kernel.containers',
    {
      tenant: sqlTypes.nullable(sqlTypes.text),
      session_tool: sqlTypes.text,
      id: sqlTypes.nullable(sqlTypes.text),
      before: sqlTypes.bigint,
      before_id: sqlTypes.nullable(sqlTypes.text),
      rows: sqlTypes.integer,
    },
    { returns: 'value' },
  ),
  endShell: kernelFunction<boolean>()(
    'kernel.end_shell',
    { tenant: sqlTypes.text, executor: sqlTypes.text, shell: sqlTypes.text, ending: sqlTypes.text },
    { returns: 'value' },
  ),
  killShell: kernelFunction<boolean>()(
    'kernel.kill_shell',
    { tenant: sqlTypes.text, shell: sqlTypes.text, records: sqlTypes.jsonb<object>() },
    { returns: 'value' },
  ),
  renewShell: kernelFunction<boolean>()(
    'kernel.renew_shell',
    {
      tenant: sqlTypes.text,
      executor: sqlTypes.text,
      shell: sqlTypes.text,
      lease_ms: sqlTypes.bigint,
      tool: sqlTypes.text,
    },
    { returns: 'value' },
  ),
  shellOwners: kernelFunction<Record<string, string>>()(
    'kernel.shell_owners',
    { operations: sqlTypes.textArray },
    { returns: 'value' },
  ),
} as const;
