// SPDX-License-Identifier: Apache-2.0
import { Fault, secretsNamed, secretVariable, TOOLS, type NamesSecrets } from '@writ/contract';
import { placeSecrets, type Placed } from '@writ/risk';
import type { Call, RunContext, Staged } from './runner.ts';
import { Values } from '../redaction/redactor.ts';
import { jsonWithoutValues, valueWithin, withoutValues, type SecretWork } from '../redaction/secret-work.ts';
import { shellGrammar } from '../redaction/shell-grammar.ts';
import { requestWithout } from '../redaction/redacted-request.ts';

/** A command that the slowest construct of bash holds the parser with for some milliseconds. */
const BRIEF_COMMAND = 512;
/** What reading a longer one may take, on a thread: it was judged in less. */
const PLACE_MS = 10_000;

/** A call as it is run: with its command as it was judged, and what it must not tell. */
export interface Prepared {
  readonly call: Call;
  readonly values: Values;
}

/**
 * Puts the secrets that a call names where it finds them. A preview gets none, and what it would have needed is noted.
 * @throws Fault `permit.invalid` for what can't be what was judged: a command in which no secret can be put, a value
 * that didn't come
 */
export async function prepareCall(call: Call, context: RunContext): Promise<Prepared> {
  const tool: NamesSecrets = TOOLS.get(call.toolId) ?? {
    class: 'sandboxed',
    accepts_secrets: [],
    ...(call.cli === null ? {} : { cli: call.cli }),
  };
  const { names } = secretsNamed(tool, call.args);
  const { command } = call.args;
  const placed =
    tool.accepts_secrets.includes('command') && typeof command === 'string' && command.includes('${secret:')
      ? await placedIn(command, context.work)
      : null;
  if (placed?.ok === false)
    throw new Fault('permit.invalid', `the command can't be run as it was judged: ${placed.message}`);
  const args = placed === null ? call.args : { ...call.args, command: placed.command };
  if (context.mode === 'preview') {
    for (const name of names) context.askedFor(name, 'secret');
    // A program of a tenant's own tool is started with variables that are empty.
    return {
      call: { ...call, args, env: {}, secrets: Object.fromEntries(names.map((name) => [name, ''])) },
      values: new Values({}),
    };
  }
  const named = Object.fromEntries(names.map((name) => [name, valueOf(call, name)]));
  const values = new Values(named);
  const env = Object.fromEntries((placed?.names ?? []).map((name) => [secretVariable(name), named[name] ?? '']));
  return { call: { ...call, args, env, values }, values };
}

async function placedIn(command: string, work: SecretWork): Promise<Placed> {
  return command.length <= BRIEF_COMMAND
    ? placeSecrets(command, await shellGrammar())
    : await work.run('secrets.place', { command }, PLACE_MS);
}

function valueOf({ secrets }: Call, name: string): string {
  const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (value === undefined)
    throw new Fault('permit.invalid', `the value of the secret \`${name}\` did not come with the call`);
  return value;
}

/**
 * What a call did, with nothing in it of the values that it had. INVARIANT (told to nobody): this is all that leaves
 * the executor of a call; a delta that holds a value isn't staged at all.
 */
export async function withoutSecrets(staged: Staged, values: Values, work: SecretWork): Promise<Staged> {
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
  const told = {
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
  if (name === null) return told;
  const found = {
    code: 'secret.in_delta',
    message: `what the call left in the workspace holds the secret \`${name}\``,
    hint: 'write it to a file outside of the workspace, or give the program the variable itself',
  };
  return { ...told, ended: 'invalid', error: found, delta: null, blobs: [] };
}
