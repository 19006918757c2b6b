// SPDX-License-Identifier: Apache-2.0
import { WorkspaceLimits } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { boundsOf, FILES, usageText, parseBound, type Bound } from '../quota.ts';
import { fieldsOf } from '../terminal.ts';
import { pathOf, withWorkspace, type WorkspaceOptions } from './workspace-options.ts';

interface LimitOptions extends WorkspaceOptions {
  readonly filesMax?: Bound;
  readonly bytesMax?: Bound;
}

/** `writ workspace limits`: shows the quota and the usage, and sets what options name. */
export function limitsCommand(context: Context): Command {
  const command = withWorkspace(new Command('limits').description('the quota and the usage; options set the quota'))
    .option('--files-max <count>', `${FILES}; \`none\`: without bound`, parseBound)
    .option('--bytes-max <count>', 'bytes of them; `none`: without limit', parseBound);
  return command.action(async () => {
    const options = command.optsWithGlobals<LimitOptions>();
    const connection = connect(context, options, 'admin');
    const change = boundsOf({ files_max: options.filesMax, bytes_max: options.bytesMax });
    const limits = await connection.client.read(
      WorkspaceLimits,
      `${pathOf(connection, options)}/limits`,
      Object.keys(change).length === 0 ? {} : { method: 'PATCH', body: change },
    );
    show(context, options, limits, () =>
      fieldsOf({
        workspace: limits.workspace_id,
        files: usageText(limits.files, limits.files_max),
        bytes: usageText(limits.bytes, limits.bytes_max),
      }),
    );
  });
}
