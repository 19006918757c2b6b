// SPDX-License-Identifier: Apache-2.0
import { SandboxPutReply, SandboxView, SandboxDetails } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteNamedCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { readJsonOption } from '../read-json.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { createVerb, getVerb } from '../verbs.ts';
import { describeSandbox, pathOf } from './describe-sandbox.ts';
import { keyCommand } from './registrar-keys.ts';
import { signCommand } from './sign-sandbox.ts';

/** `writ sandbox`: sandboxes of mk8.shell, which administrators register and registrars sign. */
export function sandboxCommand(context: Context): Command {
  return new Command('sandbox')
    .description(
      'Sandboxes of mk8.shell: workspace, rules and environment of scripts. An administrator registers a sandbox, and its registrar signs it.',
    )
    .addCommand(
      listCommand(context, {
        item: SandboxView,
        path: '/v1/sandboxes',
        head: ['sandbox', 'workspace', 'signed', 'by key'],
        rowOf: ({ name, workspace_id, signed_at, keyid }) => [
          name,
          workspace_id,
          signed_at === null ? 'no' : momentOf(signed_at),
          keyid ?? '',
        ],
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(registerCommand(context))
    .addCommand(signCommand(context))
    .addCommand(deleteNamedCommand(context, 'sandbox', 'removes a sandbox: no further script runs in it', pathOf))
    .addCommand(keyCommand(context));
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one sandbox in full, and whether scripts run in it').argument('<sandbox>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const sandbox = await connect(context, options, 'operator').client.read(SandboxDetails, pathOf(name));
    show(context, options, sandbox, () => describeSandbox(sandbox));
  });
}

interface RegisterOptions extends CommonOptions {
  readonly workspace: string;
  readonly rules?: string;
  readonly fragments?: string;
  readonly templates?: string;
}

function registerCommand(context: Context): Command {
  const command = createVerb('register')
    .description('registers or changes a sandbox; nothing runs in it until it is signed in that form')
    .argument('<sandbox>')
    .requiredOption('--workspace <id>', 'the workspace that its scripts run in')
    .option('--rules <json>', 'rules in addition to the shipped ones: JSON, `@FILE` or `-`')
    .option('--fragments <json>', 'fragments by their ids, for Include: JSON, `@FILE` or `-`')
    .option('--templates <ids>', 'the only templates that ProcRun may use, separated by commas; all by default');
  return command.action(async (name: string) => {
    const { workspace, rules, fragments, templates, ...common } = command.optsWithGlobals<RegisterOptions>();
    if (rules === '-' && fragments === '-')
      throw usage('only one of `--rules` and `--fragments` can be standard input');
    const body = {
      name,
      workspace_id: workspace,
      ...(rules === undefined ? {} : { rules: await readJsonOption(context, '--rules', rules) }),
      ...(fragments === undefined ? {} : { fragments: await readJsonOption(context, '--fragments', fragments) }),
      ...(templates === undefined ? {} : { enabled_templates: templates.split(',').map((id) => id.trim()) }),
    };
    const { valid, problems, sandbox } = await connect(context, common, 'admin').client.read(
      SandboxPutReply,
      '/v1/sandboxes',
      { method: 'PUT', body },
    );
    if (!valid || sandbox === null)
      throw new CliError(
        'sandbox.invalid',
        `nothing was registered\n${problems.map(({ pointer, message }) => `${visibleLine(pointer || '/')}: ${visibleLine(message)}`).join('\n')}`,
      );
    show(
      context,
      common,
      sandbox,
      () =>
        `${fieldsOf({ sandbox: sandbox.name, workspace: sandbox.workspace_id, digest: sandbox.definition_digest })}${sandbox.keyid === null ? `\nNothing runs in it until it is signed: writ sandbox sign ${sandbox.name} --env FILE --key FILE` : ''}`,
    );
  });
}
