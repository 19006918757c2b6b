// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { ToolsApplied } from '@writ/contract';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { readNamedFile } from '../read-named-file.ts';
import { tableOf } from '../terminal.ts';
import { textOf } from '../utf8.ts';
import { visibleLine } from '../visible.ts';

const Problem = Type.Object({ pointer: Type.String(), message: Type.String(), help: Type.String() });
const Imported = Type.Object({
  title: Type.String(),
  server: Type.Union([Type.String(), Type.Null()]),
  operations: Type.Array(
    Type.Object({
      method: Type.String(),
      path: Type.String(),
      operation: Type.Union([Type.String(), Type.Null()]),
      pointer: Type.String(),
      tool_id: Type.Union([Type.String(), Type.Null()]),
      outcome: Type.String(),
    }),
  ),
  problems: Type.Array(Problem),
  notes: Type.Array(Problem),
  applied: Type.Union([ToolsApplied, Type.Null()]),
});
type Imported = Static<typeof Imported>;

interface ImportFlags extends CommonOptions {
  readonly file: string;
  readonly name: string;
  readonly server?: string;
  readonly serverVariable: readonly string[];
  readonly secret: readonly string[];
  readonly category: readonly string[];
  readonly idempotencyHeader: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly deprecated?: true;
  readonly timeout?: number;
  readonly strict?: true;
  readonly dryRun?: true;
}

const more = (value: string, list: readonly string[]): readonly string[] => [...list, value];

/** `writ tools import openapi`. */
export function importCommand(context: Context): Command {
  return new Command('import').description('makes tools of an API by its description').addCommand(openApi(context));
}

function openApi(context: Context): Command {
  const command = new Command('openapi')
    .description('registers the operations of an OpenAPI document as tools `api.NAME.OPERATION`')
    .requiredOption('-f, --file <path>', 'OpenAPI 3.0 or 3.1, JSON or YAML')
    .requiredOption('--name <name>', 'the part of the names of the tools after `api.`')
    .option('--server <url>', 'the address of the API, over TLS; without it, that of the document')
    .option('--server-variable <name=value>', 'a variable in the address; repeat it for more', more, [])
    .option('--secret <scheme=NAME>', 'the secret for a security scheme; repeat it for more', more, [])
    .option('--category <operation=category>', 'read, write or admin, in place of that of the method', more, [])
    .option('--idempotency-header <operation=header>', 'the header that carries the id of the operation', more, [])
    .option('--include <operation>', 'imports this one, or those that begin so: `list*`; repeat it for more', more, [])
    .option('--exclude <operation>', 'leaves this one out, or those that begin so', more, [])
    .option('--deprecated', 'imports deprecated operations, too')
    .option('--timeout <ms>', 'of each call, in milliseconds; 30000 by default, 60000 at most', parseCount)
    .option('--strict', 'registers nothing if any operation has a problem')
    .option('--dry-run', 'only shows what would change');
  return command.action(async () => {
    const flags = command.optsWithGlobals<ImportFlags>();
    const imported = await connect(context, flags, 'admin').client.read(Imported, '/v1/tools/imports/openapi', {
      method: 'POST',
      body: bodyOf(context, flags),
    });
    show(context, flags, imported, () => describe(imported));
    if (imported.applied?.valid !== true)
      throw new CliError(
        'tools.invalid',
        `nothing was registered\n${problemsOf(imported.applied?.problems ?? imported.problems)}`,
      );
  });
}

function bodyOf(context: Context, flags: ImportFlags): Record<string, unknown> {
  const path = resolve(context.cwd, flags.file);
  return {
    document: textOf(readNamedFile(path), `\`${path}\``),
    options: {
      name: flags.name,
      ...(flags.server === undefined ? {} : { server: flags.server }),
      server_variables: pairsOf('--server-variable', flags.serverVariable),
      secrets: pairsOf('--secret', flags.secret),
      categories: pairsOf('--category', flags.category),
      idempotency_headers: pairsOf('--idempotency-header', flags.idempotencyHeader),
      include: flags.include,
      exclude: flags.exclude,
      deprecated: flags.deprecated ?? false,
      ...(flags.timeout === undefined ? {} : { timeout_ms: flags.timeout }),
    },
    strict: flags.strict ?? false,
    dry_run: flags.dryRun ?? false,
  };
}

/** `NAME=VALUE` of each. @throws CliError */
function pairsOf(option: string, written: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    written.map((text) => {
      const at = text.indexOf('=');
      if (at < 1 || at === text.length - 1) throw usage(`${option} takes \`NAME=VALUE\`, not \`${text}\``);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function describe({ operations, problems, notes, server, applied }: Imported): string {
  const changes = new Map(
    applied?.tools.map(({ tool_id, change, version }) => [tool_id, `${change}, version ${version}`]),
  );
  const table = tableOf(
    ['operation', 'request', 'tool', 'outcome'],
    operations.map(({ operation, method, path, tool_id, outcome }) => [
      operation ?? '-',
      `${method} ${path}`,
      tool_id ?? '-',
      outcome === 'tool' ? (changes.get(tool_id ?? '') ?? 'not registered') : (OUTCOMES[outcome] ?? outcome),
    ]),
  );
  return [
    `server: ${server ?? 'none'}`,
    table,
    ...(problems.length === 0 ? [] : ['problems:', problemsOf(problems)]),
    ...(notes.length === 0 ? [] : ['not offered:', problemsOf(notes)]),
  ].join('\n');
}

const OUTCOMES: Readonly<Record<string, string>> = {
  excluded: 'left out as asked',
  unusable: 'left out: see problems',
};

const problemsOf = (problems: readonly Static<typeof Problem>[]): string =>
  problems
    .map(({ pointer, message, help }) =>
      visibleLine(`  ${pointer === '' ? '/' : pointer}: ${message}${help === '' ? '' : `: ${help}`}`),
    )
    .join('\n');
