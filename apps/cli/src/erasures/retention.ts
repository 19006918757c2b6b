// SPDX-License-Identifier: Apache-2.0
import { RetentionView } from '@writ/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

interface SetOptions extends CommonOptions {
  readonly payloadDays?: number | 'none';
  readonly outputDays?: number | 'none';
  readonly payloadMode?: 'full' | 'hashes';
  readonly requestsMode?: 'full' | 'none';
}

const PATH = '/v1/retention';

/** `writ retention`. */
export function retentionCommand(context: Context): Command {
  return new Command('retention').addCommand(showCommand(context), { isDefault: true }).addCommand(setCommand(context));
}

function showCommand(context: Context): Command {
  const command = getVerb().description('how long contents are kept');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const retention = await connect(context, options, 'admin').client.read(RetentionView, PATH);
    show(context, options, retention, () => describe(retention));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description('set how long contents are kept; other settings stay')
    .option(
      '--payload-days <days>',
      'days after which the content of a call is erased, 1 to 3650; `none` keeps it',
      parseDays,
    )
    .option(
      '--output-days <days>',
      'maximum days to keep the full output of a command, 1 to 365; `none`: as long as the deployment keeps it',
      parseDays,
    )
    .addOption(
      new Option('--payload-mode <mode>', 'hashes: erase the content of a call within minutes of its end').choices([
        'full',
        'hashes',
      ]),
    )
    .addOption(
      new Option('--requests-mode <mode>', 'none: keep only count and hash of requests to hosts outside').choices([
        'full',
        'none',
      ]),
    );
  return command.action(async () => {
    const options = command.optsWithGlobals<SetOptions>();
    const { payloadDays, outputDays, payloadMode, requestsMode } = options;
    if ([payloadDays, outputDays, payloadMode, requestsMode].every((given) => given === undefined))
      throw usage('name what to set: `--payload-days`, `--output-days`, `--payload-mode` or `--requests-mode`');
    const { client } = connect(context, options, 'admin');
    const now = await client.read(RetentionView, PATH);
    const chosen = (given: number | 'none' | undefined, current: number | null): number | null =>
      given === undefined ? current : given === 'none' ? null : given;
    const retention = await client.read(RetentionView, PATH, {
      method: 'PUT',
      body: {
        payload_days: chosen(payloadDays, now.payload_days),
        output_days: chosen(outputDays, now.output_days),
        ...(payloadMode === undefined ? {} : { payload_mode: payloadMode }),
        ...(requestsMode === undefined ? {} : { requests_mode: requestsMode }),
      },
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

function describe({ payload_days, output_days, payload_mode, requests_mode, changed_at }: RetentionView): string {
  const days = (count: number): string => `${count} day${count === 1 ? '' : 's'}`;
  const kept = payload_days === null ? 'kept until somebody erases it' : `erased after ${days(payload_days)}`;
  return fieldsOf({
    'content of calls': payload_mode === 'hashes' ? `erased when they have ended; of earlier calls: ${kept}` : kept,
    'requests to hosts outside': requests_mode === 'none' ? 'only their count and hash' : 'part of the content',
    'whole outputs':
      output_days === null ? 'kept as long as the deployment keeps them' : `kept for ${days(output_days)} at most`,
    set: changed_at === null ? 'never' : momentOf(changed_at),
  });
}
