// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { readTenantTools } from '@writ/cli-tool';
import { ToolsApplied } from '@writ/contract';
import { Command } from 'commander';
import { Type } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteNamedCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';
import { describeTool, ListedTool, WholeTool, whatRuns } from './describe-tool.ts';
import { importCommand } from './import-openapi.ts';
import { readToolsFile, invalidToolsError } from './tools-file.ts';

const Tools = Type.Object({ items: Type.Array(ListedTool) });
const pathOf = (tool: string): string => `/v1/tools/${encodeURIComponent(tool)}`;

/** `writ tools`. */
export function toolsCommand(context: Context): Command {
  return new Command('tool')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(importCommand(context))
    .addCommand(
      deleteNamedCommand(context, 'tool', 'removes a tool: calls of it that have not begun do not run', pathOf),
    );
}

function listCommand(context: Context): Command {
  const command = new Command('list').description("Writ's own tools and the tenant's");
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const list = await connect(context, options, 'admin').client.read(Tools, '/v1/tools');
    show(context, options, list, () =>
      tableOf(
        ['tool', 'category', 'runs', 'what it does'],
        list.items.map((tool) => [tool.tool_id, tool.category, whatRuns(tool), tool.description]),
      ),
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('what a tool is, and what a call of it does').argument('<tool>');
  return command.action(async (tool: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const found = await connect(context, options, 'admin').client.read(WholeTool, pathOf(tool));
    show(context, options, found, () => describeTool(found));
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
