// SPDX-License-Identifier: Apache-2.0
import { Fault, replaceReferences, secretsNamed, secretVariable, TOOLS, type NamesSecrets } from '@writ/contract';
import { placeSecrets, type Placed } from '@writ/risk';
import { withoutRedacted } from './redact-staged.ts';
import type { Call, RunContext, Staged } from './runner.ts';
import { SecretValues, type NamedValue } from '../redaction/redactor.ts';
import { jsonWithoutValues, valueWithin, withoutValues, type SecretWork } from '../redaction/secret-work.ts';
import { shellGrammar } from '../redaction/shell-grammar.ts';
import { requestWithout } from '../redaction/redacted-request.ts';

/** Characters of a command that the parser reads within some milliseconds, even with the slowest construct of bash. */
const BRIEF_COMMAND_CHARS = 512;
/** The name that outputs show in place of a secret of a resource: its own is a part of the settings. */
const RESOURCE_MARK = 'RESOURCE';
/** The time limit for parsing a longer command on a worker thread. The kernel parsed the same command in less. */
const PARSE_MS = 10_000;

/**
 * A call that is ready to run, with its command as the kernel judged it, and the secret values to redact from what it
 * reports.
 */
export interface PreparedCall {
  readonly call: Call;
  readonly values: SecretValues;
}

/**
 * Prepares the secrets that a call names, in variables or in its arguments. A preview gets none, and its report names
 * those that it needs.
 * @throws Fault `permit.invalid` for a call that differs from what the kernel judged: the command can't hold a secret,
 * or a value is missing
 */
export async function prepareCall(call: Call, context: RunContext): Promise<PreparedCall> {
  const tool: NamesSecrets = TOOLS.get(call.toolId) ?? {
    class: 'sandboxed',
    accepts_secrets: [],
    ...(call.cli === null ? {} : { cli: call.cli }),
  };
  const { names } = secretsNamed(tool, call.args);
  const { command } = call.args;
  const placed =
    tool.accepts_secrets.includes('command') && typeof command === 'string' && command.includes('${secret:')
      ? await placeSecretsIn(command, context.work)
      : null;
  if (placed?.ok === false)
    throw new Fault('permit.invalid', `the command can't be run as it was judged: ${placed.message}`);
  const args = placed === null ? call.args : { ...call.args, command: placed.command };
  if (context.mode === 'preview') {
    for (const name of names) context.recordNeed(name, 'secret');
    // The program of a tenant's tool gets empty variables.
    return {
      call: { ...call, args, secrets: Object.fromEntries(names.map((name) => [name, ''])) },
      values: new SecretValues({}),
    };
  }
  const named = Object.fromEntries(names.map((name) => [name, valueOf(call, name)]));
  const values = new SecretValues([
    ...Object.values(call.resourceSecrets).map((value): NamedValue => [RESOURCE_MARK, value]),
    ...Object.entries(named),
  ]);
  const env = Object.fromEntries((placed?.names ?? []).map((name) => [secretVariable(name), named[name] ?? '']));
  return { call: { ...call, args: typedArgs(tool, args, named), env: { ...call.env, ...env }, values }, values };
}

/**
 * The arguments with the text that is typed into a terminal as it is typed: the program that reads it gets no
 * variables, so the values themselves stand in it. No report has the arguments.
 */
function typedArgs(tool: NamesSecrets, args: Call['args'], named: Readonly<Record<string, string>>): Call['args'] {
  const { input } = args;
  if (!tool.accepts_secrets.includes('input') || typeof input !== 'string') return args;
  const typed = replaceReferences(input, ({ literal, name, text }) =>
    literal ? text.slice(1) : name === null ? text : (named[name] ?? ''),
  );
  return typed === input ? args : { ...args, input: typed };
}

async function placeSecretsIn(command: string, work: SecretWork): Promise<Placed> {
  return command.length <= BRIEF_COMMAND_CHARS
    ? placeSecrets(command, await shellGrammar())
    : await work.run('secrets.place', { command }, PARSE_MS);
}

function valueOf({ secrets }: Call, name: string): string {
  const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (value === undefined)
    throw new Fault('permit.invalid', `the value of the secret \`${name}\` did not come with the call`);
  return value;
}

/**
 * The staged effect without the secret values that the call had. INVARIANT (secrets stay inside): only this leaves the
 * executor. A delta that holds a value isn't staged at all.
 */
export async function withoutSecrets(staged: Staged, values: SecretValues, work: SecretWork): Promise<Staged> {
  if (!values.any) return staged;
  const error =
    staged.error === null
      ? null
      : {
          ...staged.error,
          message: await withoutValues(values, staged.error.message, false, work),
          hint: staged.error.hint === null ? null : await withoutValues(values, staged.error.hint, false, work),
        };
  const requests = staged.requests?.map((request) => requestWithout(values, request));
  const redacted = {
    ...staged,
    error,
    result: await jsonWithoutValues(values, staged.result, work),
    ...(requests === undefined ? {} : { requests }),
  };
  const name = await valueWithin(
    values,
    [...(staged.delta?.changes ?? []).map(({ path }) => Buffer.from(path)), ...staged.blobs],
    work,
  );
  if (name === null) return redacted;
  const found = {
    code: 'secret.in_delta',
    message: `what the call left in the workspace holds the secret \`${name}\``,
    hint: 'write it to a file outside of the workspace, or give the program the variable itself',
  };
  return { ...redacted, ended: 'invalid', error: found, delta: null, blobs: [] };
}

/**
 * The staged effect as it may leave: without secret values, and without what the policy redacts of its result. If
 * redaction fails, nothing is reported, and the runner has to know: it may hold a session's turn or a staged change
 * until then.
 */
export async function redactedOrSettled(
  staged: Staged,
  call: Pick<Call, 'redact'>,
  values: SecretValues,
  work: RunContext['work'],
): Promise<Staged> {
  try {
    return await withoutRedacted(await withoutSecrets(staged, values, work), call, work);
  } catch (error) {
    await staged.settle?.(null);
    throw error;
  }
}
