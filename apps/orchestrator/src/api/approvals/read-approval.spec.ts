// SPDX-License-Identifier: Apache-2.0
import { PRINCIPALS_MAX, type Caller, type StartedBy } from '@writ/contract';
import { ReadApproval } from './read-approval.ts';

const YOU = { may_approve: true, may_deny: true, why: [], delegations: [], voted: null };
const caller = { tenant_id: 'ten_1', role: 'operator' } as unknown as Caller;
const STARTED = { agent_id: 'agt_1', api_key_id: 'key_1' } as unknown as StartedBy;

async function read(names: number, more: object = {}): Promise<{ asked: unknown; shown: unknown }> {
  let asked: unknown;
  const ask = (_verb: string, _caller: Caller, request: object) => {
    asked = request;
    return Promise.resolve({ state: 'pending', you: YOU, ...more });
  };
  const other_names = Array.from({ length: names }, (_, n) => `ann.${String(n)}`);
  const shown = await new ReadApproval(
    { ask } as unknown as ConstructorParameters<typeof ReadApproval>[0],
    { of: () => Promise.resolve(names === 0 ? {} : { other_names }) },
    { of: (tenant, started) => Promise.resolve({ ...started, principal: tenant }) },
  ).read(caller, 'apr_1');
  return { asked, shown };
}

it.each([0, 1, PRINCIPALS_MAX])('a caller with %i other names reads what they may decide', async (names) => {
  const { asked, shown } = await read(names);
  expect(shown).toEqual({ state: 'pending', you: YOU });
  expect((asked as { other_names?: string[] }).other_names?.length ?? 0).toBe(names);
});

it('a caller with more names than a decision takes is shown the approval alone', async () => {
  const { asked, shown } = await read(PRINCIPALS_MAX + 1);
  expect(asked).toEqual({ approval_id: 'apr_1' });
  expect(shown).toEqual({ state: 'pending' });
});

it('a caller is shown who began the work, where the kernel tells it', async () => {
  const { shown } = await read(0, { started_by: STARTED });
  expect(shown).toMatchObject({ started_by: { ...STARTED, principal: 'ten_1' } });
});
