// SPDX-License-Identifier: Apache-2.0
import { RetentionView } from '@writ/contract';
import { Command, InvalidArgumentError } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';

interface SetOptions extends CommonOptions {
  readonly payloadDays?: number | 'none';
  readonly outputDays?: number | 'none';
}

const PATH = '/v1/retention';

/** `writ retention`. */
export function retentionCommand(context: Context): Command {
  return new Command('retention').addCommand(showCommand(context), { isDefault: true }).addCommand(setCommand(context));
}

function showCommand(context: Context): Command {
  const command = new Command('show').description('how long contents are kept');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const retention = await connect(context, options, 'admin').client.read(RetentionView, PATH);
    show(context, options, retention, () => describe(retention));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description("set how long; what isn't named stays")
    .option(
      '--payload-days <days>',
      'after which the content of a call is erased, 1 to 3650; `none`: it is kept',
      parseDays,
    )
    .option(
      '--output-days <days>',
      'for which the whole output of a command is kept at most, 1 to 365; `none`: as long as the deployment keeps it',
      parseDays,
    );
  return command.action(async () => {
    const options = command.optsWithGlobals<SetOptions>();
    const { payloadDays, outputDays } = options;
    if (payloadDays === undefined && outputDays === undefined)
      throw usage('say what to set: `--payload-days`, `--output-days` or both');
    const { client } = connect(context, options, 'admin');
    const now = await client.read(RetentionView, PATH);
    const chosen = (given: number | 'none' | undefined, standing: number | null): number | null =>
      given === undefined ? standing : given === 'none' ? null : given;
    const retention = await client.read(RetentionView, PATH, {
      method: 'PUT',
      body: { payload_days: chosen(payloadDays, now.payload_days), output_days: chosen(outputDays, now.output_days) },
    });
    show(context, options, retention, () => describe(retention));
  });
}

function parseDays(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new InvalidArgumentError(`\`${text}\` is neither a number of days nor \`none\``);
  return Number(text);
}

function describe({ payload_days, output_days, changed_at }: RetentionView): string {
  const days = (count: number): string => `${count} day${count === 1 ? '' : 's'}`;
  return fieldsOf({
    'content of calls': payload_days === null ? 'kept until somebody erases it' : `erased after ${days(payload_days)}`,
    'whole outputs':
      output_days === null ? 'kept as long as the deployment keeps them' : `kept for ${days(output_days)} at most`,
    set: changed_at === null ? 'never' : momentOf(changed_at),
  });
}
