// SPDX-License-Identifier: Apache-2.0
import { fakeApi, problem, writ, type FakeApi } from '../specs/run-cli.ts';
import { APPROVAL, DELEGATION, IDS, OPERATION } from '../specs/samples.ts';

const VOTE = {
  vote_id: 'vot_01kdvq8qfwe9gr4v9m1h7e3x2z',
  says: 'approve',
  role: 'admin',
  cast_by: IDS.key,
  effect_digest: null,
  record_id: null,
  created_at: 0,
  comment: null,
  stands: true,
  delegation_id: null,
};
const VOTES = [
  { ...VOTE, principal: 'ann', cast_as: 'bob', delegation_id: IDS.delegation, comment: 'seen\u202e' },
  { ...VOTE, principal: 'cleo', cast_as: 'cleo', stands: false },
];
const VOTED = 'apr_7zzzzzzzzzzzzzzzzzzzzzzzzz';
/** for an approval of an effect; the second approval was given earlier */
const [STAGED, COMMITTED] = ['apr_6zzzzzzzzzzzzzzzzzzzzzzzzz', 'apr_5zzzzzzzzzzzzzzzzzzzzzzzzz'];
const EFFECT = '7'.repeat(64);
const PREVIEW = { ...APPROVAL.preview, state: 'ready', round: 1, changes: [], changes_total: 1 };
const OF_EFFECT = {
  ...APPROVAL,
  of: 'effect',
  binding: { ...APPROVAL.binding, effect_digest: EFFECT },
  preview: PREVIEW,
  reasons: [{ code: 'effect.lost_many', message: 'the call deletes 24 of 63 files' }],
};
const DIFF = {
  effect_digest: EFFECT,
  base_snapshot_id: 'snap_a',
  files_total: 1,
  files: [
    {
      path: 'src/gone.ts',
      change: 'deleted',
      before: null,
      after: null,
      text: null,
      why_no_text: 'binary',
      added_lines: null,
      removed_lines: null,
    },
  ],
};

const GROUPS = {
  items: [
    {
      ...{ alike: '0'.repeat(32), tool_id: 'shell.run', agent_id: IDS.agent, autonomy_mode: 'soft_gate' },
      ...{ reason_codes: ['rule\u202e'], count: 9, created_at: 0, expires_at: 1, risk_score: 0.5 },
    },
  ],
  waiting: 9_000,
  groups: 201,
  complete: false,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (url.startsWith('/v1/approvals/delegations'))
      return { body: method === 'GET' ? { items: [DELEGATION], next_cursor: null } : DELEGATION };
    if (url.startsWith('/v1/approvals/groups')) return { body: GROUPS };
    if (url.endsWith('/diff')) return { body: DIFF };
    if (method === 'POST' && [STAGED, COMMITTED].some((id) => url.includes(id))) return { body: OPERATION };
    if (url.includes(STAGED)) return { body: OF_EFFECT };
    if (url.includes(COMMITTED)) return { body: { ...OF_EFFECT, state: 'approved' } };
    if (method === 'POST' && url.includes(VOTED))
      return { body: { ...OPERATION, state: 'held', votes: { given: 1, needed: 2, role: 'admin' } } };
    if (method === 'POST')
      return url.endsWith('/approve')
        ? problem(403, 'approval.own_call', 'nobody approves their own call')
        : { body: OPERATION };
    return {
      body: url.startsWith('/v1/approvals?')
        ? { items: [APPROVAL], next_cursor: null }
        : {
            ...APPROVAL,
            args: { command: 'rm -rf src\u202e' },
            votes: { given: 1, needed: 2, role: 'operator' },
            voted: VOTES,
          },
    };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

test('`writ approvals` lists pending approvals with their reasons', async () => {
  const { out } = await writ(['approvals'], { env: api.env });
  expect(out).toContain(IDS.approval);
  expect(out).toContain('would delete `src`');
  expect(api.requests[0]!.url).toBe('/v1/approvals?state=pending&limit=50');
});

test('filters and the order go to the API with its names, and periods as moments', async () => {
  const filters = ['--mine', '--tool', 'fs.*', '--agent', IDS.agent, '--session', 's', '--mode', 'soft_gate'];
  const more = ['--group', 'finance', '--person', 'per_1', '--risk-min', '0.5', '--since', '2026-01-31T09:30:00Z'];
  await writ(['approval', 'list', ...filters, ...more, '--alike', 'a', '--order', 'risk'], { env: api.env });
  expect(Object.fromEntries(new URL(`http://x${api.requests[0]!.url}`).searchParams)).toEqual({
    ...{ state: 'pending', limit: '50', order: 'risk', mine: 'true', tool_id: 'fs.*', agent_id: IDS.agent },
    ...{ session_id: 's', autonomy_mode: 'soft_gate', group: 'finance', person_id: 'per_1', risk_min: '0.5' },
    ...{ since: '2026-01-31T09:30:00Z', alike: 'a' },
  });
  const before = Date.now();
  await writ(['approval', 'list', '--expires-in', '2h'], { env: api.env });
  const until = new URL(`http://x${api.requests[1]!.url}`).searchParams.get('expires_before');
  expect(Date.parse(String(until))).toBeGreaterThanOrEqual(before + 7_200_000);
  expect(await writ(['approval', 'list', '--expires-in', 'soon'], { env: api.env })).toMatchObject({ exit: 2 });
});

test('`writ approval groups` counts alike calls, with deceptive characters escaped', async () => {
  const { out } = await writ(['approval', 'groups', '--tool', 'shell.*', '--order', 'expires'], { env: api.env });
  expect(api.requests[0]!.url).toBe('/v1/approvals/groups?tool_id=shell.*&order=expires');
  expect(out).toContain('shell.run');
  expect(out).toContain('rule\\u{202e}');
  expect(out).toContain('9000 calls wait; the first 200 groups of 201; more wait than were counted');
});

test('`writ approvals show` shows the call, with deceptive characters escaped', async () => {
  const { out } = await writ(['approvals', 'show', IDS.approval], { env: api.env });
  expect(out).toContain('rm -rf src\\u{202e}');
});

test('a decision sends its comment', async () => {
  expect((await writ(['approvals', 'deny', IDS.approval, '--comment', 'no'], { env: api.env })).exit).toBe(0);
  expect(api.requests[0]).toMatchObject({ url: `/v1/approvals/${IDS.approval}/deny`, body: '{"comment":"no"}' });
});

test('an approval for the session sends its scope, uses and period', async () => {
  await writ(['approvals', 'approve', IDS.approval, '--for-session', '--uses', '5', '--ttl', '30m'], { env: api.env });
  expect(JSON.parse(String(api.requests.at(-1)!.body))).toEqual({ scope: 'session', uses: 5, ttl_ms: 1_800_000 });
  expect(await writ(['approvals', 'approve', IDS.approval, '--uses', '5'], { env: api.env })).toMatchObject({
    exit: 2,
    out: '',
  });
});

test("an approval of one's own call fails, and the error shows its code", async () => {
  const { exit, err } = await writ(['approvals', 'approve', IDS.approval], { env: api.env });
  expect(exit).toBe(4);
  expect(err).toMatch(/^error approval\.own_call: nobody approves their own call/);
});

test("with --json, the output is the API's answer", async () => {
  expect(JSON.parse((await writ(['approvals', '--json'], { env: api.env })).out)).toEqual({
    items: [APPROVAL],
    next_cursor: null,
  });
});

test('`writ approvals show` lists the voters, and for whom delegates voted', async () => {
  const { out } = await writ(['approvals', 'show', IDS.approval], { env: api.env });
  expect(out).toMatch(/votes +1 of 2/);
  expect(out).toContain('bob for ann approved: seen\\u{202e}');
  expect(out).toContain("cleo approved something else, which doesn't count");
});

test('an approval that is one of several votes shows the count', async () => {
  const { out } = await writ(['approvals', 'approve', VOTED, '--delegation', IDS.delegation], { env: api.env });
  expect(out).toMatch(/votes +1 of 2, administrators/);
  expect(JSON.parse(api.requests.at(-1)!.body)).toEqual({ delegation_id: IDS.delegation });
});

const sent = (): unknown =>
  api.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as unknown);

test('approving an effect shows its findings and diff, asks for confirmation, and sends the digest that was shown', async () => {
  const asked: string[] = [];
  const confirm = (question: string): Promise<boolean> => {
    asked.push(question);
    return Promise.resolve(true);
  };
  expect((await writ(['approvals', 'approve', STAGED], { env: api.env, confirm })).exit).toBe(0);
  expect(asked).toEqual([expect.stringMatching(/deletes 24 of 63 files[^]*src\/gone\.ts[^]*exactly this effect/)]);
  expect(sent()).toEqual([{ effect_digest: EFFECT }]);
});

test('at the confirmation of an effect, any answer but yes approves nothing', async () => {
  expect(
    await writ(['approvals', 'approve', STAGED], { env: api.env, confirm: () => Promise.resolve(false) }),
  ).toMatchObject({ exit: 1, err: expect.stringContaining('not_confirmed') as unknown });
  expect(sent()).toEqual([]);
});

test.each([[[]], [['--for-session']], [['--delegation', IDS.delegation]]])(
  'without a terminal, approving an effect without its digest fails: %j',
  async (more) => {
    const { exit, out, err } = await writ(['approvals', 'approve', STAGED, ...more], { env: api.env });
    expect([exit, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`src/gone\\.ts[^]*error approval\\.effect_unseen: [^]*--effect ${EFFECT}`));
    expect(sent()).toEqual([]);
  },
);

test('an approval with --effect is sent unchanged, and a repeated one returns the first decision', async () => {
  await writ(['approvals', 'approve', STAGED, '--effect', '8'.repeat(64)], { env: api.env });
  await writ(['approvals', 'approve', COMMITTED], { env: api.env });
  expect(sent()).toEqual([{ effect_digest: '8'.repeat(64) }, { effect_digest: EFFECT }]);
});

test('`writ approvals edit` sends the complete arguments', async () => {
  expect(
    (
      await writ(['approvals', 'edit', IDS.approval, '--args', '{"command":"ls"}', '--comment', 'less'], {
        env: api.env,
      })
    ).exit,
  ).toBe(0);
  expect(api.requests[0]).toMatchObject({
    url: `/v1/approvals/${IDS.approval}/edit`,
    body: '{"args":{"command":"ls"},"comment":"less"}',
  });
});

test('`writ approvals delegate` sends the expiry and the scope', async () => {
  const before = Date.now();
  const { exit, out } = await writ(
    ['approvals', 'delegate', 'bob', '--for', '2h', '--note', 'away', '--tool', 'fs.*', 'shell.run', '--escalated'],
    { env: api.env },
  );
  expect(exit).toBe(0);
  expect(out).toContain(IDS.delegation);
  const { expires_at, ...body } = JSON.parse(api.requests[0]!.body) as { expires_at: number };
  expect(body).toEqual({ to: 'bob', note: 'away', tools: ['fs.*', 'shell.run'], autonomy_mode: 'escalated' });
  expect(expires_at - before - 2 * 3_600_000).toBeLessThan(60_000);
  expect(expires_at).toBeGreaterThanOrEqual(before + 2 * 3_600_000);
});

test('`writ approvals delegate` without a valid period or a note is a usage error, and sends nothing', async () => {
  for (const rest of [
    ['--for', 'long', '--note', 'x'],
    ['--for', '1h'],
    ['--note', 'x'],
  ])
    expect((await writ(['approvals', 'delegate', 'bob', ...rest], { env: api.env })).exit).toBe(2);
  expect(api.requests).toEqual([]);
});

test('delegations in force are listed, and one is revoked by its id', async () => {
  const { out } = await writ(['approvals', 'delegations'], { env: api.env });
  expect(out).toMatch(/dlg_\S+ +ann +bob +admin +standing/);
  expect(api.requests[0]!.url).toBe('/v1/approvals/delegations?standing=true&limit=50');
  expect((await writ(['approvals', 'undelegate', IDS.delegation], { env: api.env })).exit).toBe(0);
  expect(api.requests.at(-1)).toMatchObject({ method: 'DELETE', url: `/v1/approvals/delegations/${IDS.delegation}` });
});
