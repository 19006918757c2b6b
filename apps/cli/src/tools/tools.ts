// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { readTenantTools } from '@writ/cli-tool';
import { ToolsApplied } from '@writ/contract';
import { Command } from 'commander';
import { Type, type Static } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { importCommand } from './import-openapi.ts';
import { readToolsFile, invalidToolsError } from './tools-file.ts';

const Cli = Type.Object({
  cmd: Type.String(),
  args: Type.Array(Type.String()),
  optional_args: Type.Array(Type.Object({ parameter: Type.String(), args: Type.Array(Type.String()) })),
  env: Type.Array(Type.Object({ name: Type.String(), secrets: Type.Array(Type.String()) })),
  applied_by: Type.String(),
  applied_at: Type.Integer(),
});
const Tool = Type.Object({
  tool_id: Type.String(),
  version: Type.Integer(),
  description: Type.String(),
  category: Type.String(),
  class: Type.String(),
  mutating: Type.Boolean(),
  cli: Type.Optional(Cli),
});
const ToolWhole = Type.Object({
  ...Tool.properties,
  parameters: Type.Record(Type.String(), Type.Unknown()),
  definition_digest: Type.String(),
});
const Tools = Type.Object({ items: Type.Array(Tool) });
const Removed = Type.Object({ removed: Type.String() });

/** `writ tools`. */
export function toolsCommand(context: Context): Command {
  return new Command('tools')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(importCommand(context))
    .addCommand(removeCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list').description("Writ's own tools and the tenant's");
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const list = await connect(context, options, 'admin').client.read(Tools, '/v1/tools');
    show(context, options, list, () =>
      tableOf(
        ['tool', 'category', 'runs', 'what it does'],
        list.items.map((tool) => [tool.tool_id, tool.category, tool.cli?.cmd ?? tool.class, tool.description]),
      ),
    );
  });
}

function showCommand(context: Context): Command {
  const command = new Command('show').argument('<tool>');
  return command.action(async (tool: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const found = await connect(context, options, 'admin').client.read(
      ToolWhole,
      `/v1/tools/${encodeURIComponent(tool)}`,
    );
    show(context, options, found, () => describe(found));
  });
}

function applyCommand(context: Context): Command {
  const command = new Command('apply')
    .description('registers the programs and functions of a file as tools: all of them, or none')
    .requiredOption('-f, --file <path>', 'a YAML file with `tools:`, `functions:` or both')
    .option('--dry-run', 'only show what would change');
  return command.action(async () => {
    const {
      file: path,
      dryRun,
      ...options
    } = command.optsWithGlobals<CommonOptions & { file: string; dryRun?: true }>();
    const file = readToolsFile(resolve(context.cwd, path));
    const { problems } = readTenantTools(file.value);
    if (problems.length > 0) throw invalidToolsError(file, problems);
    const applied = await connect(context, options, 'admin').client.read(ToolsApplied, '/v1/tools', {
      method: 'PUT',
      body: { ...file.value, dry_run: dryRun ?? false },
    });
    if (!applied.valid) throw invalidToolsError(file, applied.problems);
    show(context, options, applied, () =>
      tableOf(
        ['tool', 'version', 'change'],
        applied.tools.map(({ tool_id, version, change }) => [tool_id, String(version), change]),
      ),
    );
  });
}

function removeCommand(context: Context): Command {
  const command = new Command('rm')
    .description('removes a tool: calls of it that have not begun do not run')
    .argument('<tool>');
  return command.action(async (tool: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const removed = await connect(context, options, 'admin').client.read(
      Removed,
      `/v1/tools/${encodeURIComponent(tool)}`,
      { method: 'DELETE' },
    );
    show(context, options, removed, () => `removed ${removed.removed}`);
  });
}

function describe({
  tool_id,
  version,
  description,
  category,
  definition_digest,
  cli,
  parameters,
}: Static<typeof ToolWhole>): string {
  const ran =
    cli === undefined
      ? {}
      : {
          runs: [cli.cmd, ...cli.args].join(' '),
          options: cli.optional_args.map((own) => `${own.parameter}: ${own.args.join(' ')}`).join('\n') || 'none',
          variables:
            cli.env
              .map(({ name, secrets }) => (secrets.length === 0 ? name : `${name} (secret ${secrets.join(', ')})`))
              .join('\n') || 'none',
          applied: `${momentOf(cli.applied_at)} by ${cli.applied_by}`,
        };
  return fieldsOf({
    tool: tool_id,
    version,
    category,
    'what it does': description,
    ...ran,
    parameters: JSON.stringify(parameters),
    digest: definition_digest,
  });
}
