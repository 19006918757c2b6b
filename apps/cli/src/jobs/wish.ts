// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { usage } from '../cli-error.ts';
import type { CommonOptions, Context } from '../context.ts';
import { parseCount } from '../http/lists.ts';
import { readNamedText } from '../read-named-file.ts';
import type { Job } from './views.ts';

/** What the options of `create` and `change` say of a job. */
export interface WishOptions extends CommonOptions {
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
  readonly roundsMax?: number;
  readonly tokensMax?: number;
  readonly costMax?: number;
}

const gathered = (one: string, before: readonly string[] = []): string[] => [...before, one];

/** The options that say what a job is. */
export function wishOptions(command: Command): Command {
  return command
    .option('--cron <fields>', 'minute, hour, day, month, weekday; or @hourly, @daily, @weekly')
    .option('--time-zone <zone>', 'whose clocks the fields mean; UTC unless said')
    .option('--workspace <id>')
    .option('--token <id>', "the agent's token, of which that of the runs is made")
    .option('--model <name>')
    .option('--input <text>', 'what the agent is asked')
    .option('--input-file <path>', 'the same, from a file; - is standard input')
    .option('--system <text>', 'told to the model after everything else')
    .option(
      '--tool <id>',
      'may change something with it, once for each tool; listing an administrative one approves it',
      gathered,
    )
    .addOption(new Option('--conversation <rule>').choices(['fresh', 'kept']))
    .addOption(new Option('--overlap <rule>', 'while a run has not ended').choices(['skip', 'queue', 'allow']))
    .addOption(new Option('--missed <rule>', 'what came due while nobody was there').choices(['skip', 'run_once']))
    .option('--rounds-max <n>', 'replies of the model', parseCount)
    .option('--tokens-max <n>', 'input and output together', parseCount)
    .option('--cost-max <n>', "millionths of the model's currency", parseCount);
}

/** What is said, and where nothing is, what there was. @throws CliError for what a job can't do without */
export async function wishOf(context: Context, options: WishOptions, before: Job | null): Promise<object> {
  const { input, inputFile, tool, onlyReads } = options;
  if (input !== undefined && inputFile !== undefined) throw usage('`--input` and `--input-file` exclude each other');
  if (tool !== undefined && onlyReads === true) throw usage('`--tool` and `--only-reads` exclude each other');
  const said =
    inputFile === undefined
      ? input
      : inputFile === '-'
        ? await context.readStdin()
        : readNamedText(resolve(context.cwd, inputFile), '--input-file');
  const needed = {
    name: options.name ?? before?.name,
    cron: options.cron ?? before?.cron,
    workspace_id: options.workspace ?? before?.workspace_id,
    capability_token_id: options.token ?? before?.capability_token_id,
    model: options.model ?? before?.model,
    input: said ?? before?.input,
  };
  const missing = Object.entries({
    '--cron': needed.cron,
    '--workspace': needed.workspace_id,
    '--token': needed.capability_token_id,
    '--model': needed.model,
    '--input': needed.input,
  }).find(([, value]) => value === undefined)?.[0];
  if (missing !== undefined) throw usage(`\`${missing}\` is needed`);
  const rest = {
    time_zone: options.timeZone ?? before?.time_zone,
    system: options.system ?? before?.system,
    tools: onlyReads === true ? [] : (tool ?? before?.tools),
    dialect: before?.dialect,
    conversation: options.conversation ?? before?.conversation,
    overlap: options.overlap ?? before?.overlap,
    missed: options.missed ?? before?.missed,
    rounds_max: options.roundsMax ?? before?.rounds_max,
    tokens_max: options.tokensMax ?? before?.tokens_max,
    cost_max: options.costMax ?? before?.cost_max,
  };
  return {
    ...needed,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)),
  };
}
