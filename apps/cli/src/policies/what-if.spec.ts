// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { BACKTEST_PAYLOAD_TYPE, type BacktestPage } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { parseSigner, sealEnvelope, type Signer } from '@writ/signing';
import { folderOf } from '../specs/folder-of.ts';
import { fakeApi, writ } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const signer = newSigner();
const HASH = '1'.repeat(64);
const pageOf = (more: Partial<BacktestPage> = {}): BacktestPage => ({
  v: 1,
  tenant_id: IDS.tenant,
  kernel_key_id: signer.keyid,
  candidate: { policy_hash: HASH, name: 'ours', enforcement: 'enforce' },
  since: 0,
  cursor: null,
  next_cursor: null,
  made_at: 5,
  examined: 3,
  skipped: 1,
  changed: 1,
  changes: [{ from: 'autopilot', to: 'no_go', tool_id: 'fs.read', count: 1 }],
  examples: [
    { operation_id: IDS.operation, tool_id: 'fs.read', from: 'autopilot', to: 'no_go', rule_ids: ['no.reads'] },
  ],
  ...more,
});
const signed = (page: BacktestPage, by = signer) => ({
  page,
  envelope: sealEnvelope(BACKTEST_PAYLOAD_TYPE, canonicalBytes(page), by),
});
const KEYS = {
  record_keys: [{ keyid: signer.keyid, jwk: signer.publicJwk, not_before: null, not_after: 1_000 }],
  log_keys: [],
};

const verify = (pages: readonly unknown[], keys: unknown = KEYS) =>
  writ(['policy', 'verify-backtest', 'b.json', '--keys', 'k.json'], {
    cwd: folderOf({ 'b.json': { media_type: 'x', pages }, 'k.json': keys }),
  });

test('a backtest reads page by page, reports progress, and its signed answer verifies offline', async () => {
  const pages = [
    signed(pageOf({ next_cursor: 'a' })),
    signed(pageOf({ cursor: 'a', changed: 0, changes: [], examples: [] })),
  ];
  const api = await fakeApi(({ body }) => ({
    body: pages[(JSON.parse(body) as { cursor?: string }).cursor === undefined ? 0 : 1],
  }));
  const cwd = folderOf({
    'set.json': { v: 1, name: 'ours', cedar: '@id("all") @reason("all") permit (principal, action, resource);' },
  });
  const { out, err } = await writ(['policy', 'backtest', 'set.json', '--since', '7d', '--json'], { env: api.env, cwd });
  expect(err).toBe('3 operations looked at\n6 operations looked at\n');
  expect(api.requests.map(({ body }) => (JSON.parse(body) as { cursor?: string }).cursor)).toEqual([undefined, 'a']);
  const file = JSON.parse(out) as { pages: unknown[] };
  expect(await verify(file.pages)).toMatchObject({
    exit: 0,
    out: expect.stringContaining('autopilot → no_go') as string,
  });
  expect((await writ(['policy', 'backtest', 'set.json'], { env: api.env, cwd })).out).toMatch(/decided otherwise {2}1/);
  await api.close();
});

test('a backtest requests effects, and shows those that would be held, and those with findings or skipped', async () => {
  const effects = {
    judged: 4,
    skipped: 3,
    skipped_for: [{ why: 'contents_gone' as const, count: 3 }],
    without_series: 1,
    changed: 1,
    changes: [{ from: 'autopilot' as const, to: 'soft_gate' as const, tool_id: 'shell.run', count: 1 }],
    examples: [
      {
        operation_id: IDS.operation,
        tool_id: 'shell.run',
        from: 'autopilot' as const,
        to: 'soft_gate' as const,
        rule_ids: ['effect.lost_many'],
        findings: ['effect.lost_many'],
        findings_then: [],
        headline: 'the call deletes 9 of 20 files\u001b[31m',
      },
    ],
  };
  const second = signed(pageOf({ cursor: 'a', effects: { ...effects, examples: [] } }));
  const pages = [signed(pageOf({ next_cursor: 'a', effects })), second];
  const askedOf = (body: string) => JSON.parse(body) as { readonly cursor?: string; readonly effects?: boolean };
  const api = await fakeApi(({ body }) => ({ body: pages[askedOf(body).cursor === undefined ? 0 : 1] }));
  const cedar = '@id("all") @reason("all") permit (principal, action, resource);';
  const cwd = folderOf({ 'set.json': { v: 1, name: 'ours', cedar } });
  const { out } = await writ(['policy', 'backtest', 'set.json'], { env: api.env, cwd });
  expect(api.requests.map(({ body }) => askedOf(body).effects)).toEqual([true, true]);
  const words = [
    /effects judged +8/,
    /not judged +6 contents_gone/,
    /without their series +2/,
    /effects otherwise +2/,
    /autopilot → soft_gate +shell\.run +2/,
    /effect\.lost_many +the call deletes 9 of 20 files/,
  ];
  for (const said of words) expect(out).toMatch(said);
  expect(out).not.toContain('\u001b[31m');
  const verified = await verify(pages.map(({ envelope }) => envelope));
  expect(verified).toMatchObject({ exit: 0, out: expect.stringContaining('effects judged') as string });
  await api.close();
});

test("a backtest that is changed, incomplete, mixed, or signed by another key or too late doesn't verify", async () => {
  const [first, second] = [signed(pageOf({ next_cursor: 'a' })), signed(pageOf({ cursor: 'a' }))];
  const forged = {
    ...first.envelope,
    payload: Buffer.from(canonicalBytes(pageOf({ changed: 0, next_cursor: 'a' }))).toString('base64'),
  };
  const other = signed(
    pageOf({ cursor: 'a', candidate: { policy_hash: '2'.repeat(64), name: 'other', enforcement: 'enforce' } }),
  );
  for (const pages of [
    [forged, second.envelope],
    [second.envelope],
    [first.envelope, other.envelope],
    [signed(pageOf(), newSigner()).envelope],
    [signed(pageOf({ made_at: 2_000 })).envelope],
    [sealEnvelope('application/vnd.in-toto+json', canonicalBytes(pageOf()), signer)],
    [],
  ]) {
    expect(await verify(pages)).toMatchObject({
      exit: 1,
      err: expect.stringContaining('error verify.backtest') as string,
    });
  }
  expect(await verify([first.envelope, second.envelope])).toMatchObject({ exit: 0 });
});

test("a stolen key can't sign a backtest: not after its revocation, not backdated, and not in another key's name", async () => {
  const stolen = newSigner();
  const revoked = { keyid: stolen.keyid, jwk: stolen.publicJwk, not_before: null, not_after: null, revoked_from: 100 };
  const keys = { ...KEYS, record_keys: [...KEYS.record_keys, revoked] };
  for (const [over, words] of [
    [{ kernel_key_id: stolen.keyid, made_at: 200 }, 'was revoked'],
    [{ kernel_key_id: stolen.keyid, made_at: 5 }, 'was revoked'],
    [{}, 'names another key'],
  ] as const) {
    expect(await verify([signed(pageOf(over), stolen).envelope], keys)).toMatchObject({
      exit: 1,
      err: expect.stringContaining(words) as string,
    });
  }
});

test('an explanation shows the reasons, what would pass, and whether the set in force decides the same', async () => {
  const said = {
    policy: { policy_hash: HASH, name: 'ours', enforcement: 'enforce' },
    mode: 'soft_gate',
    decided: 'soft_gate',
    rule_ids: ['ask'],
    reasons: [{ code: 'ask', message: 'ask\u001b[31m' }],
    would_pass: ['a person approves it'],
    better_with: [{ with: 'no risk at all', mode: 'autopilot' }],
    rules: [],
    errors: [],
  };
  const api = await fakeApi(() => ({
    body: {
      operation_id: IDS.operation,
      policy_hash: HASH,
      asked: true,
      why_not: null,
      then: said,
      now: { ...said, mode: 'no_go' },
      alike: false,
    },
  }));
  const { out } = await writ(['policy', 'explain', IDS.operation], { env: api.env });
  for (const words of [
    'soft_gate by ours',
    'would pass: a person approves it',
    'with no risk at all: autopilot',
    'no_go by ours',
    'the set in force decides otherwise',
  ])
    expect(out).toContain(words);
  expect(out).not.toContain('\u001b[31m');
  await api.close();
});
