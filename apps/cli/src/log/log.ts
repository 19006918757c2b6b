// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import type { CommonOptions, Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { logKeysCommand } from './log-keys.ts';
import { mirrorLogCommand } from './mirror-log.ts';
import { refreshCommand } from './refresh.ts';
import { verifyLogCommand } from './verify-log.ts';

/** `writ log`: the tenant's log, for auditors. */
export function logCommand(context: Context): Command {
  return new Command('log')
    .addCommand(checkpointCommand(context), { isDefault: true })
    .addCommand(verifyLogCommand(context))
    .addCommand(mirrorLogCommand(context))
    .addCommand(refreshCommand(context))
    .addCommand(logKeysCommand(context));
}

/** `writ log checkpoint`: the signed note, byte for byte, to keep. */
function checkpointCommand(context: Context): Command {
  const command = new Command('checkpoint').description(
    'the newest signed checkpoint; keep it for a later `verify --since`',
  );
  return command.action(async () => {
    const { client } = connect(context, command.optsWithGlobals<CommonOptions>(), 'operator');
    context.write(await (await client.request('/v1/log/checkpoint')).text());
  });
}
