// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { DIALECTS, parse, prompt, render, type DialectName, type Parsed } from '@writ/dialects';
import { Command, Option } from 'commander';
import { EXIT } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { describeMessage } from '../describe-message.ts';
import { readJsonOption } from '../read-json.ts';
import { visible, visibleLine } from '../visible.ts';
import { parseGrants, parseTurn } from './parse-input.ts';

type DialectOptions = CommonOptions & { readonly dialect: DialectName };

/** What a prompt is made for unless said: every tool, on the whole workspace, and nothing outside. */
const EVERYTHING = '{"tools":["*"],"fs":[{"path":"","read":true,"write":true}],"net":[],"secrets":[]}';

/** `writ dialect parse`, `render`, `prompt`: all without a server. */
export function dialectCommand(context: Context): Command {
  const command = new Command('dialect').description(
    'What models write and read: tool calls in the dialects that agents speak. Needs no server, and runs nothing.',
  );
  const parsing = subcommand(
    command,
    'parse',
    'Reads the output of a model from standard input: its text, its calls as the tools that they mean, and what is wrong.',
  );
  parsing.action(async () => {
    await parseOutput(context, parsing.optsWithGlobals());
  });
  const rendering = subcommand(
    command,
    'render',
    'Writes what a model is told: reads what `parse --json` said from standard input, with `outcomes` added, each by the id of its call.',
  );
  rendering.action(async () => {
    await renderTurn(context, rendering.optsWithGlobals());
  });
  const prompting = subcommand(
    command,
    'prompt',
    'Writes what a model is told of its tools: those that a token grants.',
  ).option(
    '--grant <json>',
    'what the token grants, or the list of its chain, root first; `@FILE`, or `-` for standard input',
    EVERYTHING,
  );
  prompting.action(async () => {
    await writePrompt(context, prompting.optsWithGlobals<DialectOptions & { grant: string }>());
  });
  return command;
}

function subcommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .addOption(new Option('--dialect <dialect>', 'which').choices([...DIALECTS]).makeOptionMandatory());
}

async function parseOutput(context: Context, options: DialectOptions): Promise<void> {
  const parsed = parse(options.dialect, await context.readStdin());
  show(context, options, parsed, () => inWords(parsed));
  if (parsed.problems.some(({ level }) => level !== 'warning')) context.setExit(EXIT.failed);
}

function inWords({ text, calls, problems }: Parsed): string {
  return [
    ...(text.trim() === '' ? [] : [visible(text.trim())]),
    ...calls.map(({ id, tool_id, args, mode }) =>
      visibleLine(`${id}  ${mode === 'run' ? '' : `${mode} `}${tool_id} ${JSON.stringify(args)}`),
    ),
    ...problems.map(({ level, call_id, message, at }) =>
      visibleLine(`${level} at ${at}${call_id === null ? '' : ` (${call_id})`}: ${message}`),
    ),
  ].join('\n');
}

async function renderTurn(context: Context, options: DialectOptions): Promise<void> {
  const { turn, outcomes } = parseTurn(await context.readStdin());
  const messages = render(options.dialect, turn, outcomes);
  show(context, options, messages, () => messages.map(describeMessage).join('\n'));
}

async function writePrompt(context: Context, options: DialectOptions & { readonly grant: string }): Promise<void> {
  const chain = parseGrants(await readJsonOption(context, '--grant', options.grant));
  const made = prompt(options.dialect, { tools: [...TOOLS.values()], chain });
  show(context, options, made, () =>
    [made.system, ...(made.tools === null ? [] : [JSON.stringify(made.tools, null, 2)])]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
}
