// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { PolicyActivation, PolicyPutReply, PolicySchemaView } from '@writ/contract';
import type { PolicyProblem } from '@writ/policy';
import { Command } from 'commander';
import { Type } from 'typebox';
import { CliError, EXIT } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import type { NamedThing } from '../http/known-things.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { checkPolicyFile, problemLines, readPolicyFile, type PolicyFile } from '../policy-file.ts';
import { createVerb } from '../verbs.ts';
import type { PolicyTool } from '@writ/policy';
import { simulateCommand } from './simulate.ts';
import { verifyBacktestCommand } from './verify-backtest.ts';
import { backtestCommand, explainCommand } from './what-if.ts';
import { templateCommand } from './templates.ts';
import { diffCommand, historyCommand, listCommand, showCommand } from './show-policies.ts';

const Tools = Type.Object({
  items: Type.Array(
    Type.Object({
      tool_id: Type.String(),
      category: Type.Enum(['read', 'write', 'admin']),
      parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});

type ActivateOptions = CommonOptions & {
  readonly ifActive?: string;
  readonly note?: string;
  readonly allowImpossible?: true;
};

/** `writ policy`. */
export function policyCommand(context: Context): Command {
  return new Command('policy')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(validateCommand(context))
    .addCommand(putCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(activateCommand(context))
    .addCommand(rollbackCommand(context))
    .addCommand(historyCommand(context))
    .addCommand(simulateCommand(context))
    .addCommand(explainCommand(context))
    .addCommand(backtestCommand(context))
    .addCommand(verifyBacktestCommand(context))
    .addCommand(schemaCommand(context))
    .addCommand(templateCommand(context));
}

/** Needs no server: the rules are those of this version of the program. */
function validateCommand(context: Context): Command {
  const command = new Command('validate').description('check a policy set, offline').argument('<file>');
  return command.action((path: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readPolicyFile(resolve(context.cwd, path));
    const { set, problems } = checkPolicyFile(file);
    const warnings = set?.warnings ?? [];
    show(context, options, { valid: set !== null, policy_hash: set?.policy_hash ?? null, problems, warnings }, () =>
      set === null
        ? `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`
        : fieldsOf({
            valid: 'yes',
            name: set.document.name,
            hash: set.policy_hash,
            rules: set.rules.size,
            enforcement: set.document.enforcement,
          }),
    );
    for (const warning of warnings) context.writeError(`warning: ${problemLines(file, warning)}\n`);
    if (set === null) reportProblems(context, file, problems);
  });
}

function putCommand(context: Context): Command {
  const command = createVerb('put')
    .description('check a policy set and store it; it takes effect once it is activated')
    .argument('<file>');
  return command.action(async (path: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const file = readPolicyFile(resolve(context.cwd, path));
    const { client } = connect(context, options, 'admin');
    const own = checkPolicyFile(file);
    // The set may refer to tools that the tenant registered, which only the server knows.
    const { set, problems } =
      own.set === null && own.problems.some(({ line }) => line !== null)
        ? checkPolicyFile(file, await toolsOf(client))
        : own;
    if (set === null) return reportProblems(context, file, problems);
    const { policy, warnings } = await client.read(PolicyPutReply, '/v1/policies', {
      method: 'POST',
      body: { document: file.document },
    });
    if (policy === null) throw new CliError('answer', 'the set was not stored');
    show(context, options, policy, () =>
      fieldsOf({
        stored: `${policy.name}@${policy.version}`,
        hash: policy.policy_hash,
        'in force': policy.active ? 'yes' : `no; writ policy activate ${policy.name}@${policy.version}`,
      }),
    );
    for (const warning of warnings) context.writeError(`warning: ${problemLines(file, warning)}\n`);
  });
}

/** The tools that the tenant's rules can refer to; Writ's own tools where the server can't list them. */
async function toolsOf(client: Client): Promise<readonly PolicyTool[] | undefined> {
  return await client.read(Tools, '/v1/tools').then(
    ({ items }) => items,
    () => undefined,
  );
}

function reportProblems(context: Context, file: PolicyFile, problems: readonly PolicyProblem[]): void {
  for (const problem of problems) context.writeError(`${problemLines(file, problem)}\n`);
  context.writeError('error policy.invalid: the policy set is not valid\n');
  context.setExit(EXIT.failed);
}

function activateCommand(context: Context): Command {
  const command = new Command('activate')
    .description('activate a set for all decisions from now on')
    .argument('<policy>', 'its hash, its name or name@version')
    .option('--if-active <policy>', 'only if this one is in force now')
    .option('--note <text>', 'a comment for the record')
    .option('--allow-impossible', 'also if some of its rules can never apply');
  return command.action(async (policy: string) => {
    const options = command.optsWithGlobals<ActivateOptions>();
    const body = { policy, allow_impossible: options.allowImpossible };
    await changeActiveSet(context, options, '/v1/policies/activate', {
      body,
      about: { thing: 'policy', name: policy },
    });
  });
}

function rollbackCommand(context: Context): Command {
  const command = new Command('rollback')
    .description('activate the previous set again')
    .option('--if-active <policy>', 'only if this one is in force now')
    .option('--note <text>', 'a comment for the record');
  return command.action(async () => {
    await changeActiveSet(context, command.optsWithGlobals<ActivateOptions>(), '/v1/policies/rollback', { body: {} });
  });
}

async function changeActiveSet(
  context: Context,
  options: ActivateOptions,
  path: string,
  ask: { readonly body: Readonly<Record<string, string | boolean | undefined>>; readonly about?: NamedThing },
): Promise<void> {
  const active = await connect(context, options, 'admin').client.read(PolicyActivation, path, {
    ...ask,
    method: 'POST',
    body: { ...ask.body, if_active: options.ifActive, note: options.note },
  });
  show(context, options, active, () =>
    fieldsOf({
      'in force': active.version === null ? active.name : `${active.name}@${active.version}`,
      enforcement: active.enforcement === 'observe' ? 'observe: decisions are recorded, and calls run' : null,
      hash: active.policy_hash,
      since: active.at === null ? null : momentOf(active.at),
      note: active.note,
    }),
  );
}

function schemaCommand(context: Context): Command {
  const command = new Command('schema').description('the schemas of a policy set');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const schema = await connect(context, options, 'admin').client.read(PolicySchemaView, '/v1/policies/schema');
    show(context, options, schema, () => `${schema.cedar}\n\n${JSON.stringify(schema.document, null, 2)}`);
  });
}
