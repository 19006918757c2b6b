// SPDX-License-Identifier: Apache-2.0
import {
  arityOf,
  byGroup,
  compileText,
  describeVerb,
  exampleOf,
  promptText,
  reference,
  ScriptSchema,
  signatureOf,
  VERB_GROUPS,
  VERBS,
  type LocatedProblem,
  type Program,
  type Verb,
} from '@writ/mk8-shell';
import { Command, Option } from 'commander';
import { EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { readNamedText } from '../read-named-file.ts';
import { tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { explain, explainAsText } from './explain.ts';
import { runScript, withRunOptions, type RunOptions } from './run-script.ts';
import { sandboxOf, type SandboxOptions } from './sandbox.ts';

type ScriptCommandOptions = CommonOptions & SandboxOptions;

/** `writ mk8 check`, `explain`, `verbs`, `docs`: all without a server; and `run`. */
export function mk8Command(context: Context): Command {
  const command = new Command('mk8').description(
    'Scripts of mk8.shell: check, explain and run them, and look up the language. Only `run` needs a server.',
  );
  addCheck(context, command);
  addExplain(context, command);
  addRun(context, command);
  addVerbs(context, command);
  addDocs(context, command);
  return command;
}

function addCheck(context: Context, command: Command): void {
  const check = scriptCommand(command, 'check', 'Reports all problems of a script at once, with their positions.');
  check.action(async (file: string) => {
    await compileFile(context, file, check.optsWithGlobals(), ({ effects }, options) => {
      show(
        context,
        options,
        { ok: true, problems: [], effects },
        () => `${visibleLine(file)} is a script that can run`,
      );
    });
  });
}

function addExplain(context: Context, command: Command): void {
  const explaining = scriptCommand(
    command,
    'explain',
    'Shows the expanded steps of a script, and the files and hosts that it may use.',
  );
  explaining.action(async (file: string) => {
    await compileFile(context, file, explaining.optsWithGlobals(), (program, options) => {
      show(context, options, explain(program), () => explainAsText(program));
    });
  });
}

function addRun(context: Context, command: Command): void {
  const run = withRunOptions(
    command
      .command('run')
      .description('Runs a script in a container on a workspace: all of it, or nothing.')
      .argument('<script>', 'a file, or `-` for standard input'),
  );
  run.action(async (file: string) => {
    await runScript(context, await textOf(context, file), run.optsWithGlobals<RunOptions>());
  });
}

function addVerbs(context: Context, command: Command): void {
  const verbs = command
    .command('verbs')
    .description('The verbs.')
    .addOption(new Option('--group <group>', 'those of one group').choices([...VERB_GROUPS]));
  verbs.action(() => {
    showVerbs(context, verbs.optsWithGlobals<CommonOptions & { group?: string }>());
  });
}

function addDocs(context: Context, command: Command): void {
  const docs = command
    .command('docs')
    .description('The reference, of one verb or of all.')
    .argument('[verb]', 'a verb')
    .option('--prompt', 'the description of the language for models')
    .option('--schema', 'the JSON Schema of scripts');
  docs.action((name: string | undefined) => {
    showDocs(context, name, docs.optsWithGlobals<DocsOptions>());
  });
}

const collect = (value: string, before: readonly string[] | undefined): string[] => [...(before ?? []), value];

function scriptCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .argument('<script>', 'a file, or `-` for standard input')
    .option('--rules <file>', 'rules that the sandbox adds to the shipped ones')
    .option('--fragments <file>', 'fragments by their ids, for Include')
    .option('--set <NAME=VALUE>', 'a variable of the sandbox; may be repeated', collect);
}

const textOf = async (context: Context, file: string): Promise<string> =>
  file === '-' ? await context.readStdin() : readNamedText(file);

async function compileFile(
  context: Context,
  file: string,
  options: ScriptCommandOptions,
  then: (program: Program, options: CommonOptions) => void,
): Promise<void> {
  const sandbox = sandboxOf(options);
  const text = await textOf(context, file);
  const { program, problems } = compileText(text, sandbox);
  if (program !== null) return then(program, options);
  show(context, options, { ok: false, problems }, () =>
    problems.map((problem) => problemLine(file, problem)).join('\n'),
  );
  context.setExit(EXIT.failed);
}

const problemLine = (file: string, { line, column, pointer, message }: LocatedProblem): string =>
  visibleLine(
    `${file === '-' ? 'standard input' : file}:${line}:${column}: ${pointer === '' ? '' : `${pointer}: `}${message}`,
  );

const toData = (verb: Verb): object => ({
  name: verb.name,
  group: verb.group,
  effect: verb.effect,
  min: verb.min,
  max: verb.max,
  pairs: verb.pairs,
  summary: verb.summary,
  args: verb.args,
  example: exampleOf(verb),
});

function showVerbs(context: Context, { group, ...options }: CommonOptions & { readonly group?: string }): void {
  const verbs = byGroup([...VERBS.values()]).flatMap(([name, rows]) =>
    group === undefined || name === group ? rows : [],
  );
  show(context, options, verbs.map(toData), () =>
    tableOf(
      ['verb', 'group', 'arguments', 'effect', 'in words'],
      verbs.map((verb) => [signatureOf(verb), verb.group, arityOf(verb), verb.effect, verb.summary]),
    ),
  );
}

type DocsOptions = CommonOptions & { readonly prompt?: boolean; readonly schema?: boolean };

function showDocs(context: Context, name: string | undefined, options: DocsOptions): void {
  const verbs = [...VERBS.values()];
  if (options.schema === true) return context.write(`${JSON.stringify(ScriptSchema, null, 2)}\n`);
  if (options.prompt === true) return show(context, options, { prompt: promptText(verbs) }, () => promptText(verbs));
  if (name === undefined) return show(context, options, verbs.map(toData), () => reference(verbs));
  const verb = VERBS.get(name) ?? verbs.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (verb === undefined) throw usage(`there is no verb \`${name}\`; \`writ mk8 verbs\` lists them`);
  show(context, options, toData(verb), () => describeVerb(verb));
}
