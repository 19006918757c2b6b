// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { memoryBlobs } from '@writ/blobs';
import { connect, createPool } from '@writ/database';
import { parseSigner } from '@writ/signing';
import { HpkeBox } from '@writ/sealing';
import { testDatabase } from '@writ/testing';
import { Admit, admissionStatements, Decisions, FactCache } from '../admission/admit/index.ts';
import type { SentCall } from '../admission/admit/proposal.ts';
import { EndCalls } from '../management/api-keys/index.ts';
import { Announcer, Outcomes } from '../execution/announcements/index.ts';
import { Cancel } from '../admission/cancel/index.ts';
import {
  ApprovalQueue,
  Approvals,
  CastVote,
  DecideApproval,
  EditCall,
  EffectApproval,
  SupplyValue,
  YourDecisions,
  PreviewAgain,
  HeldReevaluation,
} from '../admission/approvals/index.ts';
import { InlineTaskRunner } from '@writ/worker-pool';
import { kernelTasks } from '../kernel.worker.ts';
import { EffectCheck, EffectExaminer, EffectApplier, ReportReader } from '../execution/effects/index.ts';
import { OutcomeWriter } from '../execution/outcomes/index.ts';
import { ExpireHeld, WakeHeld } from '../admission/expire/index.ts';
import { HeldCalls } from '../execution/held/index.ts';
import { ArgumentsReader, Judge } from '../judging/judgement/index.ts';
import { TenantVault } from '../evidence/payload/index.ts';
import { RecordSealer, SignedSeal } from '../evidence/records/index.ts';
import { Resolve } from '../admission/resolve/index.ts';
import type { PolicySets } from '../judging/policies/policy-sets.ts';
import { OperationViews } from '../execution/operation-views/operation-views.ts';
import { Sizes } from '../foundation/workspace/sizes.ts';
import { Trees } from '../foundation/workspace/trees.ts';
import { WrappedKeyRows } from '../evidence/payload/wrapped-key-rows.ts';
import type { TenantPool } from '../foundation/database/pools.ts';
import { PgValueStore, SessionValues } from '../execution/values/index.ts';
import { RecordingWakeUp, RecordingEvents, RecordingOutbox, PendingReceipts, ScriptedPolicy } from './test-ports.ts';
import { TestTenant, type Admin } from './test-tenant.ts';
import { NULL_MONITOR } from './null-monitor.ts';

/** A key that exists only in this run. */
export const newSigner = () =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);

/** The kernel's use cases on a real database; the ports around the kernel are fakes that record their calls. */
export async function openTestKernel(connections = 20, policiesOf?: (tenants: TenantPool) => PolicySets) {
  const database = await testDatabase();
  const tenants = {
    pool: createPool({ url: database.urlFor('writ_kernel'), applicationName: 'writ-kernel-spec', max: connections }),
  };
  const workers = {
    pool: createPool({ url: database.urlFor('writ_kernel_worker'), applicationName: 'writ-kernel-spec', max: 2 }),
  };
  const admin: Admin = await connect(database.ownerUrl, 'writ-kernel-spec');
  const masterKey = randomBytes(32);
  const vault = new TenantVault({ current: masterKey, before: null, next: null }, new WrappedKeyRows(tenants));
  const signer = newSigner();
  const [blobs, policy, wakeUp, events, outbox, receipts] = [
    memoryBlobs(),
    new ScriptedPolicy(),
    new RecordingWakeUp(),
    new RecordingEvents(),
    new RecordingOutbox(),
    new PendingReceipts(),
  ];
  const memory = new FactCache(() => performance.now());
  const policies: PolicySets = policiesOf?.(tenants) ?? policy;
  const parts = {
    tenants,
    workers,
    masterKey,
    vault,
    blobs,
    policy,
    bell: wakeUp,
    events,
    outbox,
    signer,
    sealer: new RecordSealer(new SignedSeal(signer)),
    judge: new Judge(policies, new Trees(blobs)),
    announcer: new Announcer(outbox, wakeUp, events, memory),
    memory,
    args: new ArgumentsReader({ blobs, vault, work: null }),
    views: new OperationViews(tenants, vault, receipts),
    outcomes: new Outcomes(1_000),
    policies,
    images: { sandbox: `sha256:${'5'.repeat(64)}`, others: { v: 1 as const, images: [] } },
  };
  /** Bugs that ended the judging of an approved effect. */
  const bugs: unknown[] = [];
  const failed = (error: unknown): void => void bugs.push(error);
  const decisions = new Decisions(admissionStatements(tenants), parts.sealer, vault, parts.images);
  const sources = { tenants, blobs, vault, policies, memory, args: parts.args };
  const held = new HeldCalls(tenants, parts.sealer, parts.announcer, NULL_MONITOR);
  const votes = new CastVote(tenants, held, parts.announcer);
  const outcomeWriter = new OutcomeWriter(tenants, vault, parts.sealer, parts.announcer, parts.outcomes, NULL_MONITOR);
  const reevaluation = new HeldReevaluation(parts, parts.judge, held, votes, parts.announcer);
  const valueParts = {
    cipher: new HpkeBox(masterKey),
    values: new SessionValues(tenants, vault),
    store: new PgValueStore(tenants, vault),
  };
  const admit = new Admit(sources, parts.judge, decisions, parts);
  return {
    ...parts,
    bugs,
    /** of a pool of the executor's role */
    executorUrl: database.urlFor('writ_executor'),
    sources,
    decisions,
    admin,
    /** decides and replies at once */
    admit: {
      run: async (call: SentCall, traceparent: string | null) =>
        await admit.answer(await admit.decide(call, traceparent, 0)),
    },
    admission: admit,
    supplyValue: new SupplyValue(parts, held, reevaluation, parts.views, valueParts),
    valueParts,
    decide: new DecideApproval(
      tenants,
      held,
      {
        votes,
        reevaluation,
        effectApproval: new EffectApproval(parts, parts.judge, held, {
          effects: new EffectCheck({
            blobs,
            vault,
            policies,
            tenants,
            failed,
            args: parts.args,
            reader: new ReportReader(blobs, null),
            examiner: new EffectExaminer(blobs, tenants, new InlineTaskRunner(kernelTasks)),
          }),
          applier: new EffectApplier(tenants, blobs, new Trees(blobs), new Sizes(tenants, new Trees(blobs)), failed),
          outcomeWriter,
          previewAgain: new PreviewAgain(parts, parts.announcer),
          votes,
        }),
        content: parts,
      },
      parts.views,
    ),
    edit: new EditCall(held, async (call) => await admit.answer(await admit.decide(call, null, 0))),
    approvals: new Approvals(tenants, vault, blobs, parts.args),
    queue: new ApprovalQueue(tenants),
    yours: new YourDecisions(parts, held),
    expire: new ExpireHeld(workers, held),
    wake: new WakeHeld(workers, tenants, held, parts.announcer),
    endCalls: new EndCalls(tenants, workers, held, outcomeWriter, parts.announcer, (error) => {
      throw error;
    }),
    resolve: new Resolve(tenants, parts.sealer, parts.announcer, parts.views),
    cancel: new Cancel(tenants, parts.sealer, held, outcomeWriter, parts.announcer, parts.views),
    /** the vault of a replica that has just started: it has only the rows */
    newVault: () => new TenantVault({ current: masterKey, before: null, next: null }, new WrappedKeyRows(tenants)),
    newTenant: () => TestTenant.create(admin, blobs, masterKey),
    /** Resolves once some statement of the kernel waits for a lock. */
    untilBlocked: async () => {
      // Within a transaction the view is read once and kept, unless it is cleared.
      const sql = `SELECT 1 FROM pg_stat_clear_snapshot(), pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await admin.query(sql)).rowCount === 0)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
    },
    close: async () => {
      await Promise.all([tenants.pool.end(), workers.pool.end(), admin.end()]);
      await database.drop();
    },
  };
}

export type TestKernel = Awaited<ReturnType<typeof openTestKernel>>;
