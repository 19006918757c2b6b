// SPDX-License-Identifier: Apache-2.0
import { CallSettingsView, COMMAND_OUTPUT_BYTES, LIMITS, type CallSettingsChange } from '@writ/contract';
import { Command, InvalidArgumentError } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

/** No time for all commands. */
const OWN = 'own';

interface SetOptions extends CommonOptions {
  readonly allow?: string[];
  readonly deny?: string[];
  readonly denyNothing?: true;
  readonly outputBytes?: number;
  readonly commandMs?: number | typeof OWN;
  /** false: none */
  readonly toolMs?: Record<string, number> | false;
}

/** As short as a tenant may let commands be. */
const MS_MIN = 1_000;
const PATH = '/v1/call-settings';

/** `writ settings`. */
export function settingsCommand(context: Context): Command {
  return new Command('settings').addCommand(showCommand(context), { isDefault: true }).addCommand(setCommand(context));
}

function showCommand(context: Context): Command {
  const command = getVerb().description('which paths calls may reach, and how much output commands return');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const settings = await connect(context, options, 'admin').client.read(CallSettingsView, PATH);
    show(context, options, settings, () => describe(settings));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description('set them for all calls of the tenant; other settings stay')
    .option('--allow <path...>', 'what calls may reach, whatever their tokens grant; `.` is the whole workspace')
    .option(
      '--deny <path...>',
      "what no call reaches, in place of the list that there is; '**/.ssh' denies the name everywhere",
    )
    .option('--deny-nothing', 'an empty list of denied paths')
    .option(
      '--output-bytes <bytes>',
      `the most bytes of a command's output, ${COMMAND_OUTPUT_BYTES.min} to ${COMMAND_OUTPUT_BYTES.max}`,
      parseBytes,
    )
    .option(
      '--command-ms <ms>',
      `how long a command may take, up to ${LIMITS.commandMs.max}; '${OWN}': as long as its tool or profile says`,
      (text: string) => (text === OWN ? OWN : parseMs(text)),
    )
    .option(
      '--tool-ms <tool=ms>',
      'the same for one tool, in place of all that were set; may be repeated',
      (text: string, before: Record<string, number> = {}) => ({ ...before, ...toolMsOf(text) }),
    )
    .option('--no-tool-ms', 'no tool has a time of its own');
  return command.action(async () => {
    const options = command.optsWithGlobals<SetOptions>();
    const body = changeOf(options);
    const { client } = connect(context, options, 'admin');
    const settings = await client.read(CallSettingsView, PATH, { method: 'PATCH', body });
    show(context, options, settings, () => describe(settings));
  });
}

function changeOf({ allow, deny, denyNothing, outputBytes, commandMs, toolMs }: SetOptions): CallSettingsChange {
  if (deny !== undefined && denyNothing === true) throw usage('`--deny` and `--deny-nothing` exclude each other');
  const denied = denyNothing === true ? [] : deny;
  const change = {
    ...(allow === undefined ? {} : { allowed_paths: allow }),
    ...(denied === undefined ? {} : { denied_paths: denied }),
    ...(outputBytes === undefined ? {} : { output_bytes: outputBytes }),
    ...(commandMs === undefined ? {} : { command_ms: commandMs === OWN ? null : commandMs }),
    ...(toolMs === undefined ? {} : { tool_command_ms: toolMs === false ? {} : toolMs }),
  };
  if (Object.keys(change).length === 0)
    throw usage(
      'name what to set: `--allow`, `--deny`, `--deny-nothing`, `--output-bytes`, `--command-ms` or `--tool-ms`',
    );
  return change;
}

function parseBytes(text: string): number {
  const bytes = Number(text);
  const { min, max } = COMMAND_OUTPUT_BYTES;
  if (!/^\d{1,9}$/.test(text) || bytes < min || bytes > max)
    throw new InvalidArgumentError(`\`${text}\` is no number of bytes from ${min} to ${max}`);
  return bytes;
}

function parseMs(text: string): number {
  const ms = Number(text);
  if (!/^\d{1,9}$/.test(text) || ms < MS_MIN || ms > LIMITS.commandMs.max)
    throw new InvalidArgumentError(
      `\`${text}\` is no number of milliseconds from ${MS_MIN} to ${LIMITS.commandMs.max}`,
    );
  return ms;
}

function toolMsOf(text: string): Record<string, number> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`\`${text}\` is not of the form tool=milliseconds`);
  return { [text.slice(0, at)]: parseMs(text.slice(at + 1)) };
}

function describe({
  allowed_paths,
  denied_paths,
  output_bytes,
  command_ms,
  tool_command_ms,
  changed_at,
}: CallSettingsView): string {
  const listed = (paths: readonly string[]): string => paths.map((path) => path || '/workspace').join(', ');
  return fieldsOf({
    'calls may reach': listed(allowed_paths),
    'calls never reach': denied_paths.length === 0 ? 'nothing is denied' : listed(denied_paths),
    'output of commands': `${output_bytes} bytes at most`,
    'time of commands': command_ms === null ? 'as their tools and profiles say' : `${command_ms} ms at most`,
    ...Object.fromEntries(Object.entries(tool_command_ms).map(([tool, ms]) => [`time of ${tool}`, `${ms} ms at most`])),
    set: changed_at === null ? 'never' : momentOf(changed_at),
  });
}
