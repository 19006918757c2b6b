// SPDX-License-Identifier: Apache-2.0
import type { StartedBy, TenantId } from '@writ/contract';
import type { ApiKeyRow } from '../../store/keys/api-keys.ts';
import type { RunStart } from '../../store/session-rows/sessions.ts';
import { TraceStart } from './trace-start.ts';

const KEYS: Readonly<Record<string, Partial<ApiKeyRow>>> = {
  key_ann: { member_id: 'mbr_ann', bound_token: null, created_by: 'platform' },
  key_made_by_ann: { member_id: null, bound_token: null, created_by: 'key_ann' },
  key_exchanged: { member_id: null, bound_token: 'cap_1', created_by: 'key_ann' },
  key_of_workload: { member_id: null, bound_token: 'cap_1', created_by: 'idp_1' },
} as unknown as Readonly<Record<string, Partial<ApiKeyRow>>>;
const RUN = { run_id: 'run_top', session_id: 'ses_top', job_id: null, job_name: null, by_hand: null, due_at: null };

const traced = async (started: object, start: object | null = null): Promise<StartedBy> =>
  await new TraceStart(
    { read: (_tenant, id) => Promise.resolve((KEYS[id] ?? null) as ApiKeyRow | null) },
    { startOf: () => Promise.resolve(start as RunStart | null) },
  ).of('ten_1' as TenantId, { agent_id: 'agt_1', api_key_id: 'key_gone', ...started } as unknown as StartedBy);

it.each([
  ['key_ann', 'mbr_ann'],
  ['key_exchanged', 'mbr_ann'],
  ['key_made_by_ann', undefined],
  ['key_of_workload', undefined],
  ['key_gone', undefined],
])('the work of %s was begun by the member %s', async (api_key_id, member_id) => {
  expect((await traced({ api_key_id })).member_id).toBe(member_id);
});

it('a run has its session, and of a sub-agent it is the run at the top', async () => {
  expect(await traced({ run_id: 'run_below' }, RUN)).toEqual({
    ...{ agent_id: 'agt_1', api_key_id: 'key_gone', run_id: 'run_top', session_id: 'ses_top' },
  });
});

it('a run that was erased has no session, and a call without a run asks for none', async () => {
  expect(await traced({ run_id: 'run_1' })).toEqual({ agent_id: 'agt_1', api_key_id: 'key_gone', run_id: 'run_1' });
  expect(await traced({}, RUN)).toEqual({ agent_id: 'agt_1', api_key_id: 'key_gone' });
});

it('a job has its name and its start, while they are stored', async () => {
  const of = async (start: object) => (await traced({ run_id: 'run_1' }, { ...RUN, ...start })).job;
  expect(await of({ job_id: 'job_1', job_name: 'nightly', by_hand: false, due_at: 5 })).toEqual({
    ...{ job_id: 'job_1', name: 'nightly', by_hand: false, due_at: 5 },
  });
  expect(await of({ job_id: 'job_1' })).toEqual({ job_id: 'job_1' });
});
