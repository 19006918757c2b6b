// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { RISK_RULES, RiskRules } from '@writ/risk';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { tableOf } from '../terminal.ts';
import { answerTo, problemOf } from './answer-line.ts';
import { detailsOf, loadAssessor } from './assessor.ts';
import { describeAssessment, nameOf } from './describe-assessment.ts';
import { linesOf } from './lines.ts';

interface AssessOptions extends CommonOptions {
  readonly command?: string;
  readonly stdin?: boolean;
  readonly cwd?: string;
  readonly explain?: boolean;
}

/** `writ risk assess`, `writ risk rules`: both without a server. */
export function riskCommand(context: Context): Command {
  const command = new Command('risk').description('The risk of a command, and the decision on it. Needs no server.');
  const assess = command
    .command('assess')
    .description(
      'Assesses shell commands under the default policy, in an interactive session, for a caller of category write. Nothing is run.',
    )
    .option('--command <text>', 'the command')
    .option('--stdin', 'read one command per line from standard input; print one JSON object per line, in order')
    .option('--cwd <directory>', 'a directory of the workspace; the workspace itself by default')
    .option('--explain', 'with --json or --stdin: also what each rule adds, and why');
  assess.action(async () => {
    await run(context, assess.optsWithGlobals<AssessOptions>());
  });
  const rules = command
    .command('rules')
    .description('The table of risk rules.')
    .option('--schema', 'the JSON Schema of the table');
  rules.action(() => {
    showRules(context, rules.optsWithGlobals<CommonOptions & { schema?: boolean }>());
  });
  return command;
}

async function run(context: Context, options: AssessOptions): Promise<void> {
  if ((options.command === undefined) === (options.stdin !== true))
    throw usage('name what to assess: either `--command` or `--stdin`');
  if (options.stdin === true) return runLines(context, options);
  const text = options.command ?? '';
  const problem = problemOf(text);
  if (problem) throw usage(`\`--command\`: ${problem.message}`);
  const explained = (await loadAssessor())(text, options.cwd);
  const { assessment } = explained;
  show(context, options, options.explain === true ? { ...assessment, ...detailsOf(explained) } : assessment, () =>
    describeAssessment(explained),
  );
}

async function runLines(context: Context, { cwd, explain }: AssessOptions): Promise<void> {
  const assess = await loadAssessor();
  for await (const line of linesOf(context.streamStdin(), LIMITS.commandBytes.max))
    context.write(`${JSON.stringify(answerTo(line, assess, { cwd, explain }))}\n`);
}

function showRules(context: Context, options: CommonOptions & { readonly schema?: boolean }): void {
  if (options.schema === true) return context.write(`${JSON.stringify(RiskRules, null, 2)}\n`);
  show(context, options, RISK_RULES, () =>
    tableOf(
      ['rule', 'ceiling', 'reach', 'adds', 'in words'],
      RISK_RULES.map(({ id, ceiling, reach, points, message }) => [
        id,
        ceiling,
        reach,
        Object.entries(points)
          .map(([dimension, each]) => `${nameOf(dimension as never)} ${each / 1000}`)
          .join(', '),
        message,
      ]),
    ),
  );
}
