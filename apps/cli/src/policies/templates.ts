// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { didYouMean } from '@writ/contract';
import {
  compilePolicySet,
  fillTemplate,
  POLICY_TEMPLATES,
  PolicySetError,
  withFragments,
  type PolicyFragment,
  type PolicySetSource,
  type PolicyTemplate,
} from '@writ/policy';
import { Command } from 'commander';
import { EXIT, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { fieldsOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { problemLines, readPolicyFile } from '../policy-file.ts';
import { getVerb } from '../verbs.ts';
import { parametersOf, parameterValues } from './template-parameters.ts';

type FillOptions = CommonOptions & { readonly set: readonly string[]; readonly into?: string };

/**
 * `writ policy template`. Needs no server: templates belong to this version of the program, as the checks of sets do.
 */
export function templateCommand(context: Context): Command {
  return new Command('template')
    .alias('templates')
    .description('rules for common cases')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(fillCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list').description('all templates');
  return command.action(() => {
    const items = [...POLICY_TEMPLATES.values()].map(({ id, description }) => ({ id, description }));
    show(context, command.optsWithGlobals<CommonOptions>(), { items }, () =>
      tableOf(
        ['template', 'purpose'],
        items.map(({ id, description }) => [id, description]),
      ),
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('the purpose and the parameters of a template').argument('<name>');
  return command.action((name: string) => {
    const template = templateOf(name);
    const { id, description, parameters } = template;
    const rows = parametersOf(template).map((one) => [
      one.name,
      one.takes,
      one.default === undefined ? 'needed' : JSON.stringify(one.default),
      one.description,
    ]);
    show(
      context,
      command.optsWithGlobals<CommonOptions>(),
      { id, description, parameters },
      () =>
        `${fieldsOf({ template: id, purpose: description })}\n\n${tableOf(['parameter', 'takes', 'default', 'description'], rows)}`,
    );
  });
}

function fillCommand(context: Context): Command {
  const command = new Command('fill')
    .description('fill in a template: prints its rules, or with `--into` a whole set with them')
    .argument('<name>')
    .option(
      '--set <name=value>',
      'a parameter; repeat it for each item of a list',
      (value: string, all: readonly string[]) => [...all, value],
      [],
    )
    .option('--into <file>', 'the set to add the rules to; the result is printed, and the file stays unchanged');
  return command.action((name: string) => {
    const options = command.optsWithGlobals<FillOptions>();
    const template = templateOf(name);
    const parameters = parameterValues(template, options.set);
    const fragment = fillOrReport(context, template, parameters);
    if (fragment === null) return;
    if (options.into !== undefined) return printSetWith(context, resolve(context.cwd, options.into), fragment);
    show(context, options, { cedar: fragment.cedar, history: fragment.history }, () => textOf(fragment));
  });
}

/** Rules in the form that a set has: text of `cedar`, entries of `history`. */
function textOf({ cedar, history }: PolicyFragment): string {
  return [cedar.trimEnd(), ...history.map((rule) => JSON.stringify(rule, null, 2))]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Null where the parameters don't fit: each problem is then reported. */
function fillOrReport(
  context: Context,
  { id }: PolicyTemplate,
  parameters: Readonly<Record<string, unknown>>,
): PolicyFragment | null {
  try {
    return fillTemplate(id, parameters);
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    for (const { pointer, message, help } of error.problems)
      context.writeError(
        `${id}${pointer === '' ? '' : `#${visibleLine(pointer)}`}: ${visibleLine(`${message}${help === '' ? '' : `: ${help}`}`)}\n`,
      );
    context.writeError(`error policy.invalid: the parameters don't fit; writ policy template get ${id}\n`);
    context.setExit(EXIT.failed);
    return null;
  }
}

/** Prints the set with the added rules, if it is valid. Duplicate ids and unknown tools show only in the whole set. */
function printSetWith(context: Context, path: string, fragment: PolicyFragment): void {
  const file = readPolicyFile(path);
  const document = withFragments({ ...file.document } as PolicySetSource, fragment);
  try {
    compilePolicySet(document);
    context.write(`${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    for (const problem of error.problems)
      context.writeError(`${problemLines({ document: { ...document }, path, rulesPath: path }, problem)}\n`);
    context.writeError('error policy.invalid: the policy set with the rules is not valid\n');
    context.setExit(EXIT.failed);
  }
}

function templateOf(name: string): PolicyTemplate {
  const template = POLICY_TEMPLATES.get(name);
  if (template === undefined)
    throw usage(`there is no template \`${name}\`${didYouMean(name, [...POLICY_TEMPLATES.keys()])}`);
  return template;
}
