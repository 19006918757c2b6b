// SPDX-License-Identifier: Apache-2.0
import type { ErasureView } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const ID = 'ers_01kdvq8qfwe9gr4v9m1h7e3x2z';
const ERASURE: ErasureView = {
  erasure_id: ID,
  selector: 'session',
  operation_id: null,
  session_id: 'ses-1',
  subject: null,
  before: null,
  reason_code: 'gdpr-art-17',
  state: 'done',
  operations: 3,
  unfinished: 1,
  records: 1,
  record_id: `rec_${ID.slice(4)}`,
  requested_by: IDS.key,
  created_at: 1_767_225_600_000,
  finished_at: 1_767_225_601_000,
};
const PLAN = { dry_run: true, operations: 3, unfinished: 1, more: false };
const RETENTION = { payload_days: 30, output_days: null, changed_at: null };

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ method, url, body }) => {
    if (url === '/v1/retention')
      return { body: method === 'GET' ? RETENTION : { ...(JSON.parse(body) as object), changed_at: 1 } };
    if (method === 'POST')
      return (JSON.parse(body) as { dry_run?: boolean }).dry_run === true ? { body: PLAN } : { body: ERASURE };
    return {
      body: url.includes(ID)
        ? { ...ERASURE, state: 'running', finished_at: null }
        : { items: [ERASURE], next_cursor: null },
    };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

const run = (args: readonly string[], confirm?: (question: string) => Promise<boolean>) =>
  writ(args, { env: api.env, ...(confirm === undefined ? {} : { confirm }) });
const sent = (): unknown[] => api.requests.map(({ body }) => JSON.parse(body === '' ? 'null' : body));
const SESSION = ['erase', '--session', 'ses-1', '--reason', 'gdpr-art-17'];

test.each([
  [['--operation', IDS.operation], { operation_id: IDS.operation }],
  [['--session', 'ses-1'], { session_id: 'ses-1' }],
  [['--subject', 'crm/42'], { subject: 'crm/42' }],
  [['--before', '2026-01-31T09:30:00Z'], { before: '2026-01-31T09:30:00Z' }],
])('erase %j sends exactly that selector', async (what, selector) => {
  const { exit, out } = await run(['erase', ...what, '--reason', 'gdpr-art-17', '--yes']);
  expect([exit, sent()]).toEqual([0, [{ ...selector, reason_code: 'gdpr-art-17' }]]);
  expect(out).toMatch(/erased +3 calls/);
  expect(out).toMatch(/passed over +1 that had not ended/);
});

test('a dry run of an erasure shows its plan, without a reason or a confirmation', async () => {
  const { exit, out } = await run(['erase', '--session', 'ses-1', '--dry-run']);
  expect([exit, out]).toEqual([0, 'the content of 3 calls would be erased; 1 have not ended\n']);
  expect(sent()).toEqual([{ session_id: 'ses-1', reason_code: 'dry-run', dry_run: true }]);
});

test('an erasure shows its plan, and runs only when the person confirms', async () => {
  const asked: string[] = [];
  const says =
    (answer: boolean) =>
    (question: string): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(answer);
    };
  expect(await run(SESSION, says(false))).toMatchObject({
    exit: 1,
    err: expect.stringContaining('nothing was erased'),
  });
  expect(sent()).toMatchObject([{ dry_run: true }]);
  expect(await run(SESSION, says(true))).toMatchObject({ exit: 0 });
  expect(sent()).toHaveLength(3);
  expect(asked[0]).toContain('the content of 3 calls would be erased');
});

test.each([
  [SESSION],
  [['erase', '--yes', '--reason', 'x']],
  [['erase', '--session', 'a', '--before', 'b', '--yes', '--reason', 'x']],
  [['erase', '--session', 'a', '--yes']],
])('%j is refused before anything is sent', async (args) => {
  expect((await run(args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

test('erasures are listed and shown', async () => {
  expect((await run(['erase', 'list'])).out).toMatch(new RegExp(`${ID} +session +ses-1 +3 +done +gdpr-art-17`));
  expect((await run(['erase', 'show', ID])).out).toMatch(new RegExp(`next +writ erase show ${ID}`));
});

test('retention is shown, and a change keeps the settings that are not named', async () => {
  expect((await run(['retention'])).out).toMatch(
    /content of calls +erased after 30 days\nrequests to hosts outside +part of the content\nwhole outputs +kept as long as the deployment keeps them/,
  );
  expect((await run(['retention', 'set', '--output-days', '7'])).out).toMatch(/whole outputs +kept for 7 days at most/);
  expect(sent().at(-1)).toEqual({ payload_days: 30, output_days: 7 });
  await run(['retention', 'set', '--payload-days', 'none']);
  expect(sent().at(-1)).toEqual({ payload_days: null, output_days: null });
  expect((await run(['retention', 'set', '--payload-mode', 'hashes', '--requests-mode', 'none'])).out).toMatch(
    /content of calls +erased when they have ended; of earlier calls: erased after 30 days\nrequests to hosts outside +only their count and hash/,
  );
  expect(sent().at(-1)).toEqual({ payload_days: 30, output_days: null, payload_mode: 'hashes', requests_mode: 'none' });
  for (const args of [
    ['set'],
    ['set', '--payload-mode', 'none'],
    ['set', '--payload-days', '0'],
    ['set', '--payload-days', 'soon'],
  ])
    expect((await run(['retention', ...args])).exit).toBe(2);
});
