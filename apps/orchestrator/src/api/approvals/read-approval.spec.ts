// SPDX-License-Identifier: Apache-2.0
import { PRINCIPALS_MAX, type Caller } from '@writ/contract';
import { readApproval } from './read-approval.ts';

const YOU = { may_approve: true, may_deny: true, why: [], delegations: [], voted: null };
const caller = { role: 'operator' } as Caller;

async function read(names: number): Promise<{ asked: unknown; shown: unknown }> {
  let asked: unknown;
  const ask = (_verb: string, _caller: Caller, request: object) => {
    asked = request;
    return Promise.resolve({ state: 'pending', you: YOU });
  };
  const other_names = Array.from({ length: names }, (_, n) => `ann.${String(n)}`);
  const shown = await readApproval(
    { ask } as unknown as Parameters<typeof readApproval>[0],
    { of: () => Promise.resolve(names === 0 ? {} : { other_names }) },
    caller,
    'apr_1',
  );
  return { asked, shown };
}

it.each([0, 1, PRINCIPALS_MAX])('a caller with %i other names is told what they may decide', async (names) => {
  const { asked, shown } = await read(names);
  expect(shown).toEqual({ state: 'pending', you: YOU });
  expect((asked as { other_names?: string[] }).other_names?.length ?? 0).toBe(names);
});

it('a caller with more names than a decision takes is shown the approval alone', async () => {
  const { asked, shown } = await read(PRINCIPALS_MAX + 1);
  expect(asked).toEqual({ approval_id: 'apr_1' });
  expect(shown).toEqual({ state: 'pending' });
});
