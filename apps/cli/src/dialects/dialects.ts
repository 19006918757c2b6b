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

/** The default grant of a prompt: every tool, on the whole workspace, and no network or secrets. */
const EVERYTHING = '{"tools":["*"],"fs":[{"path":"","read":true,"write":true}],"net":[],"secrets":[]}';

/** `writ dialect parse`, `render`, `prompt`: all without a server. */
export function dialectCommand(context: Context): Command {
  const command = new Command('dialect').description(
    'Tool calls in the dialects of models. Needs no server, and runs nothing.',
  );
  const parsing = subcommand(
    command,
    'parse',
    "Parses a model's output on standard input: prints its text, its calls with their tools, and problems.",
  );
  parsing.action(async () => {
    await parseOutput(context, parsing.optsWithGlobals());
  });
  const rendering = subcommand(
    command,
    'render',
    'Renders the messages for a model. Standard input is the output of `parse --json`, with `outcomes` by the ids of calls.',
  );
  rendering.action(async () => {
    await renderTurn(context, rendering.optsWithGlobals());
  });
  const prompting = subcommand(
    command,
    'prompt',
    'Writes the prompt that describes the tools of a token to a model.',
  ).option(
    '--grant <json>',
    'the grant of the token, or the list of grants of its chain, root first; `@FILE`, or `-` for standard input',
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
  show(context, options, parsed, () => describeParsed(parsed));
  if (parsed.problems.some(({ level }) => level !== 'warning')) context.setExit(EXIT.failed);
}

function describeParsed({ text, calls, problems }: Parsed): string {
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
  const written = prompt(options.dialect, { tools: [...TOOLS.values()], chain });
  show(context, options, written, () =>
    [written.system, ...(written.tools === null ? [] : [JSON.stringify(written.tools, null, 2)])]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
}
