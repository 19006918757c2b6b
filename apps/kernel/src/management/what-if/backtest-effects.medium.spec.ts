// SPDX-License-Identifier: Apache-2.0
import { BlobStore, missingBlob } from '@writ/blobs';
import {
  BACKTEST_PAYLOAD_TYPE,
  type BacktestEffects,
  type BacktestPage,
  type BlobRef,
  type TenantId,
} from '@writ/contract';
import { parseVerifier, verifyEnvelope } from '@writ/signing';
import { InlineTaskRunner } from '@writ/worker-pool';
import { EffectExaminer, StoredDeltas } from '../../execution/effects/index.ts';
import { kernelTasks } from '../../kernel.worker.ts';
import { ToolReader } from '../../judging/judgement/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import { hashOf, type TestTenant } from '../../specs/test-tenant.ts';
import { Trees } from '../../foundation/workspace/trees.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { EFFECT_BOUNDS, type EffectBounds } from './backtest-effects.ts';
import { BacktestPolicy, RecordedCalls, RecordedEffects } from './index.ts';

const FILES = 20;
const PAGE = { policy: null, since: 0, cursor: null, limit: 100, effects: true };
const textOf = (n: number): string => `a file of some words, the number of which is ${n}\n`.repeat(5);

/** A store from which contents were collected. */
class Collected extends BlobStore {
  readonly #store: BlobStore;
  readonly gone = new Set<string>();

  constructor(store: BlobStore) {
    super();
    this.#store = store;
  }

  override async get(tenantId: TenantId, sha256: string): Promise<Uint8Array> {
    if (this.gone.has(sha256)) throw missingBlob(sha256);
    return await this.#store.get(tenantId, sha256);
  }

  override async getMany(tenantId: TenantId, sha256s: readonly string[]): Promise<Map<string, Uint8Array>> {
    const all = sha256s.map(async (sha256) => [sha256, await this.get(tenantId, sha256)] as const);
    return new Map(await Promise.all(all));
  }

  override put(): Promise<BlobRef> {
    throw new Error('a backtest writes nothing');
  }
  override putMany(): Promise<BlobRef[]> {
    throw new Error('a backtest writes nothing');
  }
  override putStream(): Promise<BlobRef> {
    throw new Error('a backtest writes nothing');
  }
  override getStream(): AsyncIterable<Uint8Array> {
    throw new Error('a backtest reads whole contents');
  }
  /** Reading a size protects a content from collection. */
  override sizes(): Promise<Map<string, number>> {
    throw new Error('a backtest keeps nothing');
  }
}

let kernel: PolicyKernel;
let run: TestExecution;
let blobs: Collected;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run } = on);
}, openPolicyKernel);
beforeEach(async () => {
  blobs = new Collected(kernel.blobs);
  tenant = await kernel.newTenant();
  await tenant.write(Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`src/f${n}.txt`, textOf(n)])));
  token = await tenant.token();
});

const newBacktest = (bounds: EffectBounds = EFFECT_BOUNDS, now = () => performance.now()): BacktestPolicy => {
  const work = new InlineTaskRunner(kernelTasks);
  const tools = new ToolReader(kernel.engine.work);
  const calls = new RecordedCalls({ ...kernel, trees: new Trees(kernel.blobs), tools });
  const examiner = new EffectExaminer(blobs, kernel.tenants, work);
  const { tenants, args } = kernel;
  const effects = new RecordedEffects({ tenants, args, deltas: new StoredDeltas(blobs, work), examiner });
  return new BacktestPolicy(calls, kernel.policyRepository, kernel.signer, { effects, bounds, now });
};
const lost = (few_files: number, few_share: number, more = {}) =>
  setOf('candidate', '', { effects: { general: { lost_many: { few_files, few_share }, ...more } } });
async function pageOf(set: object | null, more = {}, backtest = newBacktest(), of = tenant): Promise<BacktestPage> {
  const document = set === null ? null : { ...set };
  return (await backtest.run({ ...kernel.asAdmin(of), ...PAGE, document, ...more })).page;
}
const effectsOf = async (...given: Parameters<typeof pageOf>): Promise<BacktestEffects> => {
  const { effects } = await pageOf(...given);
  if (effects === undefined) throw new Error('the page says nothing of effects');
  return effects;
};

/** Runs a call that changes these files, with any outcome. Null deletes. */
async function call(files: Readonly<Record<string, string | null>>, more = {}): Promise<OperationRow> {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token, more));
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, files)));
  return await tenant.row(attempt.operation_id);
}
const committed = async (files: Readonly<Record<string, string | null>>, more = {}): Promise<OperationRow> => {
  const row = await call(files, more);
  expect(row.tx_outcome).toBe('committed');
  return row;
};
const approvalOf = ({ approval_id }: { readonly approval_id: string | null }) => ({
  approval_id: approval_id ?? '',
  decision: 'approve' as const,
  comment: null,
});

/** Approves the staged effect of a held call. */
async function approve(held: OperationRow): Promise<void> {
  const effect_digest = (await shownEffectDigest(kernel, tenant.tenantId, held.approval_id)) ?? '';
  await kernel.decide.run({ ...kernel.asAdmin(tenant), ...approvalOf(held), effect_digest });
  expect(await tenant.row(held.operation_id)).toMatchObject({ tx_outcome: 'committed', autonomy_mode: 'soft_gate' });
}
const TWO_GONE = { 'src/f0.txt': null, 'src/f1.txt': null };

describe('a backtest of effects', () => {
  it('returns the committed effects that a set with lower limits would hold, with its findings', async () => {
    const { operation_id } = await committed(TWO_GONE);
    expect(await effectsOf(lost(2, 0.1))).toEqual({
      judged: 1,
      skipped: 0,
      skipped_for: [],
      without_series: 0,
      changed: 1,
      changes: [{ from: 'autopilot', to: 'soft_gate', tool_id: 'fs.write', count: 1 }],
      examples: [
        {
          operation_id,
          tool_id: 'fs.write',
          from: 'autopilot',
          to: 'soft_gate',
          rule_ids: expect.arrayContaining(['effect.lost_many']) as unknown,
          findings: ['effect.lost_many'],
          findings_then: [],
          headline: 'the call deletes 2 of 20 files',
        },
      ],
    });
    const refusing = lost(2, 0.1, { lost_many: { mode: 'no_go', few_files: 2, few_share: 0.1 } });
    expect(await effectsOf(refusing)).toMatchObject({ examples: [{ to: 'no_go' }] });
  });

  it('finds no change by the set that was active then, and judges only committed effects', async () => {
    await committed(TWO_GONE);
    await kernel.admit.run(tenant.call(token, { args: { path: 'src/f3.txt' } }), null);
    expect(await call({})).toMatchObject({ tx_outcome: 'no_op' });
    expect((await run.perform(tenant, tenant.writeCall(token))).attempt).toBeDefined();
    const page = await pageOf(null, { policy: 'default' });
    expect(page).toMatchObject({ examined: 4, changed: 0, effects: { judged: 1, skipped: 0, changed: 0 } });
  });

  it('compares with the set that was active at the commit, not with the current one', async () => {
    await committed(TWO_GONE);
    await kernel.install(tenant, lost(2, 0.1));
    expect(await effectsOf(null, { policy: 'default' })).toMatchObject({ judged: 1, changed: 0 });
    expect(await effectsOf(null)).toMatchObject({ changed: 1, changes: [{ from: 'autopilot', to: 'soft_gate' }] });
  });

  it('judges approved effects as if they were not approved, to find those that no longer need it', async () => {
    await kernel.install(tenant, lost(2, 0.1));
    const held = await call(TWO_GONE);
    expect(held).toMatchObject({ state: 'held' });
    await approve(held);
    expect(await effectsOf(null)).toMatchObject({ judged: 1, changed: 0 });
    expect(await effectsOf(lost(3, 0.25))).toMatchObject({
      changes: [{ from: 'soft_gate', to: 'autopilot' }],
      examples: [{ findings: [], findings_then: ['effect.lost_many'], headline: 'the call deletes 2 of 20 files' }],
    });
  });

  it('uses what a call was granted before the approval of its effect', async () => {
    const rule = (words: string) => `@id("ask") @reason("a person") @would_pass("x")
      forbid (principal, action, resource) when { context.supervision == "autopilot" && ${words} };`;
    await kernel.install(tenant, setOf('deletes', rule('context has effect && context.effect.deleted > 0')));
    const held = await call(TWO_GONE);
    await approve(held);
    expect(await effectsOf(setOf('all'))).toMatchObject({ changes: [{ from: 'soft_gate', to: 'autopilot' }] });

    await kernel.install(tenant, setOf('asks', rule('!(context has effect)')));
    const asked = await kernel.admit.run(tenant.writeCall(await tenant.token()), null);
    await kernel.decide.run({ ...kernel.asAdmin(tenant), ...approvalOf(asked) });
    const { attempt } = await run.performAdmitted(tenant, asked.operation_id);
    const delta = await deltaFor(kernel, attempt, { 'src/f4.txt': null, 'src/f5.txt': null });
    await run.commit.run(reportOf(attempt, delta));
    const { examples } = await effectsOf(lost(2, 0.1), { limit: 1 });
    // The approval of the action covers no finding.
    expect(examples).toMatchObject([{ operation_id: asked.operation_id, from: 'autopilot', to: 'soft_gate' }]);
  });

  it('judges the series of a session as it was then, and reports where it could not', async () => {
    const rows: OperationRow[] = [];
    for (let n = 0; n < 4; n += 1) rows.push(await committed({ [`src/f${n}.txt`]: null }, { session_id: 'one' }));
    const strict = lost(3, 0.1);
    const found = await effectsOf(strict);
    expect(found).toMatchObject({ judged: 4, without_series: 0, changed: 2 });
    const findings = ['effect.lost_series'];
    expect(found.examples).toMatchObject([3, 2].map((n) => ({ operation_id: rows[n]?.operation_id, findings })));
    blobs.gone.add(rows[0]?.commit_delta_id?.slice('delta:'.length) ?? '');
    expect(await effectsOf(strict)).toMatchObject({
      judged: 3,
      skipped_for: [{ why: 'contents_gone', count: 1 }],
      without_series: 3,
      changed: 0,
    });
  });

  it('skips erased and collected effects, with the reason', async () => {
    const erased = await committed(TWO_GONE);
    await committed({ 'src/f4.txt': null, 'src/f5.txt': null });
    await tenant.query('UPDATE kernel.payload SET args = NULL WHERE operation_id = $1', [erased.operation_id]);
    blobs.gone.add(hashOf(textOf(4)));
    expect(await effectsOf(lost(2, 0.1))).toMatchObject({
      judged: 0,
      skipped: 2,
      changed: 0,
      skipped_for: [
        { why: 'contents_gone', count: 1 },
        { why: 'arguments_erased', count: 1 },
      ],
    });
  });

  it('ends a page at its limits, and the next page continues there', async () => {
    const rows: OperationRow[] = [];
    for (let n = 0; n < 6; n += 2) {
      const files = { [`src/f${n}.txt`]: null, [`src/f${n + 1}.txt`]: null };
      // Each is a separate series.
      rows.push(await committed(files, { capability_token_id: await tenant.token() }));
    }
    let time = 0;
    const { page: together, effect } = EFFECT_BOUNDS;
    for (const bounded of [
      newBacktest({ effect, page: { ...together, bytesMax: 1 } }),
      newBacktest({ effect: { ...effect, wallMs: 1e6 }, page: { ...together, wallMs: 1 } }, () => (time += 1)),
    ]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: BacktestPage = await pageOf(lost(2, 0.1), { cursor }, bounded);
        expect([page.examined, page.effects?.judged]).toEqual([1, 1]);
        seen.push(...(page.effects?.examples.map(({ operation_id }) => operation_id) ?? []));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(rows.map(({ operation_id }) => operation_id).reverse());
    }
  });

  it('skips an effect that exceeds its limits, and continues with the next', async () => {
    await committed(TWO_GONE);
    let time = 0;
    const { page, effect } = EFFECT_BOUNDS;
    for (const bounded of [
      newBacktest({ page, effect: { ...effect, bytesMax: 500 } }),
      newBacktest({ page: { ...page, wallMs: 1e6 }, effect: { ...effect, wallMs: 3 } }, () => (time += 1)),
    ]) {
      expect(await pageOf(lost(2, 0.1), {}, bounded)).toMatchObject({
        examined: 1,
        next_cursor: null,
        effects: { judged: 0, skipped: 1, skipped_for: [{ why: 'beyond_bounds', count: 1 }], changed: 0 },
      });
    }
  });

  it('shows nothing to another tenant, and runs one page of a tenant at a time', async () => {
    await committed(TWO_GONE);
    const other = await kernel.newTenant();
    const backtest = newBacktest();
    const theirs = await pageOf(lost(2, 0.1), {}, backtest, other);
    expect(theirs).toMatchObject({ examined: 0, effects: { judged: 0, skipped: 0 } });
    const pages = Array.from({ length: 4 }, async () => await pageOf(lost(2, 0.1), {}, backtest));
    const asked = await Promise.allSettled(pages);
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(asked[3]).toMatchObject({ reason: { code: 'overloaded' } });
  });

  it('is part of the signed page on request', async () => {
    await committed(TWO_GONE);
    const document = { ...lost(2, 0.1) };
    const { page, envelope } = await newBacktest().run({ ...kernel.asAdmin(tenant), ...PAGE, document });
    const verifiers = new Map([[kernel.signer.keyid, parseVerifier(kernel.signer.publicJwk)]]);
    const signed = verifyEnvelope(envelope, verifiers, BACKTEST_PAYLOAD_TYPE);
    expect(JSON.parse(Buffer.from(signed).toString())).toEqual(page);
    expect(page.effects?.changed).toBe(1);
    expect(await pageOf(lost(2, 0.1), { effects: undefined })).not.toHaveProperty('effects');
  });
});
