// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { parseCount } from '../http/lists.ts';
import { readNamedText } from '../read-named-file.ts';
import type { Job } from './views.ts';

/** The options of `create` and `change` that define a job. */
export interface JobOptions extends CommonOptions {
  readonly name?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly workspace?: string;
  readonly token?: string;
  readonly model?: string;
  readonly input?: string;
  readonly inputFile?: string;
  readonly system?: string;
  readonly tool?: readonly string[];
  readonly onlyReads?: true;
  readonly conversation?: string;
  readonly overlap?: string;
  readonly missed?: string;
  readonly schedulingClass?: string;
  readonly roundsMax?: number;
  readonly tokensMax?: number;
  readonly costMax?: number;
}

const collect = (one: string, before: readonly string[] = []): string[] => [...before, one];

/** Adds the options that define a job. */
export function withJobOptions(command: Command): Command {
  return command
    .option('--cron <fields>', 'minute, hour, day, month, weekday; or @hourly, @daily, @weekly')
    .option('--time-zone <zone>', 'the time zone of the fields; UTC by default')
    .option('--workspace <id>')
    .option('--token <id>', "the agent's token, the parent of the runs' token")
    .option('--model <name>')
    .option('--input <text>', 'the task for the agent')
    .option('--input-file <path>', 'the same, from a file; - is standard input')
    .option('--system <text>', 'text at the end of the system prompt')
    .option(
      '--tool <id>',
      'a tool that the runs may change something with; may be repeated; listing an administrative tool approves it',
      collect,
    )
    .addOption(new Option('--conversation <rule>').choices(['fresh', 'kept']))
    .addOption(new Option('--overlap <rule>', 'while a run has not ended').choices(['skip', 'queue', 'allow']))
    .addOption(
      new Option('--missed <rule>', 'for runs that came due while no orchestrator ran').choices(['skip', 'run_once']),
    )
    .addOption(
      new Option('--scheduling-class <class>', 'when its calls are served; background by default').choices([
        'interactive',
        'background',
        'maintenance',
      ]),
    )
    .option('--rounds-max <n>', 'maximum replies of the model', parseCount)
    .option('--tokens-max <n>', 'maximum tokens, input and output together', parseCount)
    .option('--cost-max <n>', "maximum cost, in millionths of the model's currency", parseCount);
}

/** The new job: options where given, else the values before. @throws CliError where a required value is missing */
export async function jobBodyOf(context: Context, options: JobOptions, current: Job | null): Promise<object> {
  const { input, inputFile, tool, onlyReads } = options;
  if (input !== undefined && inputFile !== undefined) throw usage('`--input` and `--input-file` exclude each other');
  if (tool !== undefined && onlyReads === true) throw usage('`--tool` and `--only-reads` exclude each other');
  const task =
    inputFile === undefined
      ? input
      : inputFile === '-'
        ? await context.readStdin()
        : readNamedText(resolve(context.cwd, inputFile), '--input-file');
  const required = {
    name: options.name ?? current?.name,
    cron: options.cron ?? current?.cron,
    workspace_id: options.workspace ?? current?.workspace_id,
    capability_token_id: options.token ?? current?.capability_token_id,
    model: options.model ?? current?.model,
    input: task ?? current?.input,
  };
  const missing = Object.entries({
    '--cron': required.cron,
    '--workspace': required.workspace_id,
    '--token': required.capability_token_id,
    '--model': required.model,
    '--input': required.input,
  }).find(([, value]) => value === undefined)?.[0];
  if (missing !== undefined) throw usage(`\`${missing}\` is needed`);
  const rest = {
    time_zone: options.timeZone ?? current?.time_zone,
    system: options.system ?? current?.system,
    tools: onlyReads === true ? [] : (tool ?? current?.tools),
    dialect: current?.dialect,
    conversation: options.conversation ?? current?.conversation,
    overlap: options.overlap ?? current?.overlap,
    missed: options.missed ?? current?.missed,
    scheduling_class: options.schedulingClass ?? current?.scheduling_class,
    rounds_max: options.roundsMax ?? current?.rounds_max,
    tokens_max: options.tokensMax ?? current?.tokens_max,
    cost_max: options.costMax ?? current?.cost_max,
  };
  return {
    ...required,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)),
  };
}
