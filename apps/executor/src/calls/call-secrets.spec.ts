// SPDX-License-Identifier: Apache-2.0
import { SHELL_RUN, SHELL_SESSION } from '@writ/contract';
import { prepareCall } from './call-secrets.ts';
import type { Call, RunContext } from './runner.ts';

const needs: unknown[] = [];
const context = (mode: RunContext['mode'] = 'run'): RunContext =>
  ({ mode, work: null, recordNeed: (...need: unknown[]) => needs.push(need) }) as unknown as RunContext;
const call = (
  toolId: string,
  args: Call['args'],
  secrets: Call['secrets'] = {},
  resourceSecrets: Call['secrets'] = {},
): Call => ({ toolId, args, secrets, resourceSecrets, cli: null }) as unknown as Call;
const SECRETS = { PASSWORD: 'a$&b ${secret:OTHER} $${secret:OTHER}', OTHER: 'other' };

beforeEach(() => {
  needs.length = 0;
});

it.each([
  ['${secret:PASSWORD}\n', `${SECRETS.PASSWORD}\n`],
  ['${secret:PASSWORD}${secret:OTHER}', `${SECRETS.PASSWORD}other`],
  ['$${secret:PASSWORD} and ${secret:OTHER}', '${secret:PASSWORD} and other'],
  ['y\n', 'y\n'],
])('input %j is typed with its secrets in it, each once', async (input, typed) => {
  const { call: prepared } = await prepareCall(call(SHELL_SESSION.tool_id, { input }, SECRETS), context());
  expect([prepared.args, prepared.env]).toEqual([{ input: typed }, {}]);
});

it('what is typed is redacted from what the call reports', async () => {
  const { values } = await prepareCall(call(SHELL_SESSION.tool_id, { input: '${secret:OTHER}' }, SECRETS), context());
  expect(values.redactText('it is other')).toBe('it is ***OTHER***');
});

it("secrets of the call's resources are redacted, without their names, and no argument is filled in with them", async () => {
  const args = { input: '${secret:PASSWORD}' };
  const secrets = { PASSWORD: 'of the session' };
  const { call: prepared, values } = await prepareCall(
    call(SHELL_SESSION.tool_id, args, secrets, { PASSWORD: 'of the mailbox' }),
    context(),
  );
  expect(prepared.args).toEqual({ input: 'of the session' });
  expect(values.redactText('of the mailbox, of the session')).toBe('***RESOURCE***, ***PASSWORD***');
});

it.each(['run', 'preview'] as const)('variables that the call has already stay, in a %s', async (mode) => {
  const { call: prepared } = await prepareCall(
    { ...call(SHELL_RUN.tool_id, { command: 'true' }), env: { USER: 'builder' } },
    context(mode),
  );
  expect(prepared.env).toEqual({ USER: 'builder' });
});

it('a preview types no secret, and names those that it needs', async () => {
  const { call: prepared } = await prepareCall(
    call(SHELL_SESSION.tool_id, { input: '${secret:OTHER}\n' }, SECRETS),
    context('preview'),
  );
  expect([prepared.args, needs]).toEqual([{ input: '${secret:OTHER}\n' }, [['OTHER', 'secret']]]);
});

it('a call whose secret did not come does not run', async () => {
  await expect(prepareCall(call(SHELL_SESSION.tool_id, { input: '${secret:NONE}' }), context())).rejects.toMatchObject({
    code: 'permit.invalid',
  });
});

it('no other argument is filled in', async () => {
  const args = { command: 'true', stdin: '$${secret:OTHER}', input: '${secret:OTHER}' };
  const { call: prepared } = await prepareCall(call(SHELL_RUN.tool_id, args, SECRETS), context());
  expect(prepared.args).toEqual(args);
});
