// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { memoryBus, type Bus } from '@writ/bus';
import {
  LANES,
  REDEMPTION_MEMBERS,
  subjectsOf,
  TOOLS,
  type BlobRef,
  type Change,
  type Delta,
  type Envelope,
  type FileState,
  type Lane,
  type Redemption,
  type ReportRequest,
} from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { sealContent, sealedRef, type ContentKind, type ContentSeal } from '@writ/sealing';
import { parseVerifier } from '@writ/signing';
import { deltaOf, parsePath, type WorkspacePath } from '@writ/workspace';
import type { SentCall } from '../admission/admit/proposal.ts';
import { AgentChanges } from '../execution/agents/index.ts';
import { AttemptMemory, readAttemptFacts } from '../execution/attempts/index.ts';
import { CallChanges, Commit, HoldEffect, PreviewReports, Reruns } from '../execution/commit/index.ts';
import { Dispatcher, PermitIssuer, PreviewDispatcher, Slots } from '../execution/dispatch/index.ts';
import { InlineTaskRunner } from '@writ/worker-pool';
import { kernelTasks } from '../kernel.worker.ts';
import { FunctionCalls } from '../execution/function-calls/index.ts';
import { EffectCheck, EffectExaminer, EffectApplier, ReportReader } from '../execution/effects/index.ts';
import { OutcomeWriter } from '../execution/outcomes/index.ts';
import { Previews } from '../execution/held/index.ts';
import type { Images } from '../judging/judgement/index.ts';
import { Redeem } from '../execution/redeem/index.ts';
import { Reevaluation } from '../execution/reevaluation/index.ts';
import { Renew } from '../execution/renew/index.ts';
import { newId } from '@writ/nest-kit';
import { Sizes } from '../foundation/workspace/sizes.ts';
import { Trees } from '../foundation/workspace/trees.ts';
import { VersionSweeper, PreviewSweeper, Sweeper } from '../execution/sweep/index.ts';
import type { TestKernel } from './test-kernel.ts';
import type { TestTenant } from './test-tenant.ts';
import { NULL_MONITOR } from './null-monitor.ts';

export const LEASE_MS = 15_000;
export const PERMIT_TTL_MS = 30_000;
export const SUBJECTS = subjectsOf('spec');

/** The credentials of an attempt. */
export interface Attempt {
  readonly tenant: TestTenant;
  readonly operation_id: string;
  readonly attempt: number;
  readonly executor_id: string;
  readonly nonce: string;
  readonly snapshot: string;
  /** the key from its redemption that seals its contents, base64 */
  readonly contentKey?: string;
}

export const newNonce = (): string => randomBytes(16).toString('hex');

/** The execution half of the kernel. */
function openParts(kernel: TestKernel) {
  const { tenants, workers, vault, sealer, announcer, outcomes, blobs, policies, bell, signer } = kernel;
  const faults: unknown[] = [];
  const bus = memoryBus({ now: () => Date.now() });
  const slots = new Slots(() => performance.now());
  const verifiers = new Map([[signer.keyid, parseVerifier(signer.publicJwk)]]);
  const outcomeWriter = new OutcomeWriter(tenants, vault, sealer, announcer, outcomes, NULL_MONITOR);
  const permitIssuer = new PermitIssuer(signer, bus, SUBJECTS, (_traceparent, _operation, run) => run());
  const failed = (error: unknown): void => void faults.push(error);
  const effects = new EffectCheck({
    blobs,
    vault,
    policies,
    tenants,
    failed,
    args: kernel.args,
    reader: new ReportReader(blobs, null),
    examiner: new EffectExaminer(blobs, tenants, new InlineTaskRunner(kernelTasks)),
  });
  const previews = new Previews(tenants, sealer, announcer);
  const permits = {
    permitTtlMs: PERMIT_TTL_MS,
    report: (error: unknown) => faults.push(error),
    now: () => performance.now(),
  };
  const newMemory = (): AttemptMemory => new AttemptMemory(() => performance.now());
  const memory = newMemory();
  const reevaluation = new Reevaluation({ ...kernel, trees: new Trees(blobs) }, kernel.judge);
  const reruns = new Reruns(tenants, announcer, reevaluation);
  /** A replica: it shares nothing with the others but the database. */
  const newCommit = (memoryOfReplica = newMemory()): Commit =>
    new Commit(
      tenants,
      blobs,
      {
        effects,
        applier: new EffectApplier(tenants, blobs, new Trees(blobs), new Sizes(tenants, new Trees(blobs)), failed),
        holds: new HoldEffect(blobs, vault, sealer, outcomeWriter),
        reruns,
        changes: new CallChanges(
          tenants,
          kernel.args,
          new AgentChanges({ ...kernel, outcomeWriter, wakeUp: bell, failed }),
        ),
      },
      outcomeWriter,
      memoryOfReplica,
    );
  const renew = new Renew(tenants, vault, { leaseMs: LEASE_MS });
  const commit = newCommit(memory);
  const newFunctionCalls = (): FunctionCalls =>
    new FunctionCalls(tenants, outcomeWriter, renew, commit, {
      permitTtlMs: PERMIT_TTL_MS,
      leaseMs: LEASE_MS,
      signer,
      verifiers,
      args: kernel.args,
      monitor: NULL_MONITOR,
      work: null,
    });
  return {
    functionCalls: newFunctionCalls(),
    /** A replica: it shares nothing with the others but the database. */
    newFunctionCalls,
    bus,
    desk: permitIssuer,
    endings: outcomeWriter,
    faults,
    newCommit,
    newMemory,
    factsOf: ({ tenant, operation_id }: Attempt) =>
      readAttemptFacts(tenants, { tenant_id: tenant.tenantId, operation_id }),
    /** the texts at paths of the attempt's snapshot; null for none */
    textsOf: ({ tenant, snapshot }: Attempt, paths: readonly string[]) => textsIn(kernel, tenant, snapshot, paths),
    commit,
    dispatcher: new Dispatcher(workers, permitIssuer, slots, permits),
    previewDispatcher: new PreviewDispatcher(workers, permitIssuer, slots, permits),
    previewReports: new PreviewReports(tenants, blobs, vault, effects, previews),
    previewSweeper: new PreviewSweeper(workers, tenants, previews),
    redeem: new Redeem(tenants, vault, outcomeWriter, memory, new Trees(blobs), {
      verifiers,
      leaseMs: LEASE_MS,
      args: kernel.args,
      monitor: NULL_MONITOR,
    }),
    renew,
    sweeper: new Sweeper(workers, tenants, outcomeWriter, bell),
    /** the sweeper of a kernel that is configured with these images */
    versionSweeper: (images: Images) =>
      new VersionSweeper(
        { workers, tenants, outcomeWriter, announcer, images },
        new Reevaluation({ ...kernel, images, trees: new Trees(blobs) }, kernel.judge),
      ),
  };
}

/** Gathers the permits that are published on the lanes. */
function collectPermits(bus: Bus) {
  const permits: Record<Lane, Envelope[]> = { inline: [], sandboxed: [], broker: [] };
  const listening = LANES.map((lane) =>
    bus.consume(SUBJECTS.work(lane), {
      durable: lane,
      slots: () => 1000,
      handler: (message) => {
        permits[lane].push(JSON.parse(Buffer.from(message.bytes).toString()) as Envelope);
        message.ack();
        return Promise.resolve();
      },
    }),
  );
  /** The newest permit of the operation, once there is one. */
  const permitOf = async (operationId: string, lane: Lane = 'inline'): Promise<Envelope> => {
    await Promise.all(listening);
    for (;;) {
      const found = permits[lane].findLast((envelope) => payloadOf(envelope).operation_id === operationId);
      if (found !== undefined) return found;
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  };
  return { permits, permitOf };
}

/** The execution half of the kernel, and a fake executor that a spec controls. */
export function openExecution(kernel: TestKernel) {
  const parts = openParts(kernel);
  const { permits, permitOf } = collectPermits(parts.bus);
  const announceSlots = (inline: number, sandboxed = inline): void =>
    parts.dispatcher.slotsReported({ v: 1, executor_id: newId('executor'), inline, sandboxed, broker: inline });
  const always = newId('executor');
  /**
   * Dispatches what waits in the lane. What an executor reports counts for three seconds, and this dispatcher has no
   * ticks: a wake-up later than that, on a busy machine, would dispatch nothing.
   */
  const dispatch = (lane: Lane): void => {
    parts.dispatcher.slotsReported({ v: 1, executor_id: always, inline: 100, sandboxed: 100, broker: 100 });
    parts.dispatcher.wake(lane);
  };
  /** Admits the call, dispatches it, and redeems its permit. */
  const perform = async (tenant: TestTenant, call: SentCall): Promise<{ attempt: Attempt; redemption: Redemption }> => {
    const view = await kernel.admit.run(call, null);
    if (view.state !== 'admitted') throw new Error(`the call was ${view.state}: ${JSON.stringify(view.reasons)}`);
    return await performAdmitted(tenant, call.operation_id, (TOOLS.get(call.tool_id)?.class ?? 'inline') as Lane);
  };
  /** Dispatches a call that was admitted, and redeems its permit. @param knows null: for an older executor */
  const performAdmitted = async (
    tenant: TestTenant,
    operationId: string,
    lane: Lane = 'inline',
    knows: readonly string[] | null = REDEMPTION_MEMBERS,
  ): Promise<{ attempt: Attempt; redemption: Redemption }> => {
    announceSlots(100);
    parts.dispatcher.wake(lane);
    return await redeemed(tenant, await permitOf(operationId, lane), knows);
  };
  const redeemed = async (
    tenant: TestTenant,
    permit: Envelope,
    knows: readonly string[] | null = REDEMPTION_MEMBERS,
  ): Promise<{ attempt: Attempt; redemption: Redemption }> => {
    const credentials = { executor_id: newId('executor'), nonce: newNonce() };
    const says = knows === null ? {} : { knows: [...knows] };
    const redemption = await parts.redeem.run({ v: 1, permit, ...credentials, ...says });
    const { operation_id, attempt, state_snapshot_id } = redemption;
    return {
      attempt: {
        tenant,
        operation_id,
        attempt,
        snapshot: state_snapshot_id,
        ...(redemption.content_key === undefined ? {} : { contentKey: redemption.content_key }),
        ...credentials,
      },
      redemption,
    };
  };
  /** Dispatches the waiting preview of a held call and reports these files as its effect. */
  const preview = async (
    tenant: TestTenant,
    { operation_id }: { readonly operation_id: string },
    files: Readonly<Record<string, string | null>>,
    more: (attempt: Attempt) => Promise<Partial<ReportRequest>> = () => Promise.resolve({}),
  ): Promise<void> => {
    announceSlots(100);
    await parts.previewDispatcher.run();
    const {
      rows: [row],
    } = await kernel.admin.query<{ attempt: number; lane: Lane }>(
      'SELECT attempt, lane FROM kernel.preview WHERE operation_id = $1',
      [operation_id],
    );
    let permit = await permitOf(operation_id, row?.lane);
    while (payloadOf(permit).attempt !== row?.attempt || payloadOf(permit).mode !== 'preview') {
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
      permit = await permitOf(operation_id, row?.lane);
    }
    const { attempt } = await redeemed(tenant, permit);
    await parts.previewReports.run({
      ...reportOf(attempt, await deltaFor(kernel, attempt, files), await more(attempt)),
      mode: 'preview',
    });
  };
  const close = async (): Promise<void> => {
    await parts.dispatcher.stop();
    await parts.bus.close();
  };
  return { ...parts, permits, permitOf, speak: announceSlots, dispatch, perform, performAdmitted, preview, close };
}

export type TestExecution = ReturnType<typeof openExecution>;

export function payloadOf(envelope: Envelope): {
  operation_id: string;
  attempt: number;
  mode: string;
  tenant_id: string;
} {
  return JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as {
    operation_id: string;
    attempt: number;
    mode: string;
    tenant_id: string;
  };
}

/** The credentials that the attempt sends to the kernel. */
export function credentialsOf({ tenant, operation_id, attempt, executor_id, nonce }: Attempt) {
  return { v: 1 as const, tenant_id: tenant.tenantId, operation_id, attempt, executor_id, nonce };
}

/** A result of fs.write that fits its schema. */
export const WRITTEN = { path: 'a.txt', size: 1, sha256: '0'.repeat(64), created: false };

/** A report of an attempt that ended by itself, with a delta and a result. */
export function reportOf(attempt: Attempt, delta: Delta | null, more: Partial<ReportRequest> = {}): ReportRequest {
  const result = 'result' in more ? more.result : WRITTEN;
  return {
    ...credentialsOf(attempt),
    ended: 'exited',
    exit_code: null,
    error: null,
    delta,
    delta_ref: null,
    result,
    result_ref: null,
    result_hash: sha256Hex(canonicalBytes(result)),
    contents: [],
    requests: [],
    usage: { wall_ms: 5, cpu_ms: 3, memory_peak_bytes: 0, disk_write_bytes: 1, output_bytes: 0 },
    ...more,
  };
}

/** The seal that an executor uses for the contents of the attempt. */
export const sealOf = ({ tenant, operation_id, attempt, contentKey }: Attempt): ContentSeal => ({
  key: Buffer.from(contentKey ?? '', 'base64'),
  tenantId: tenant.tenantId,
  operationId: operation_id,
  attempt,
});

/** Stores a content as an executor does, and returns its reference for a report. */
export async function putSealed(
  kernel: TestKernel,
  attempt: Attempt,
  kind: ContentKind,
  clear: Uint8Array,
): Promise<BlobRef> {
  return sealedRef(await kernel.blobs.put(attempt.tenant.tenantId, sealContent(sealOf(attempt), kind, clear)));
}

/** A delta that writes texts to paths of the attempt's snapshot, stored as an executor stores it. Null deletes. */
export async function deltaFor(
  kernel: TestKernel,
  attempt: Attempt,
  files: Readonly<Record<string, string | null>>,
): Promise<Delta> {
  const trees = new Trees(kernel.blobs);
  const { tenantId } = attempt.tenant;
  const changes = await Promise.all(
    Object.entries(files).map(async ([path, text]): Promise<Change> => {
      const before = await trees.at(tenantId, attempt.snapshot, parsePath(path));
      if (text === null) return { path, before, after: null };
      const { sha256, size } = await kernel.blobs.put(tenantId, Buffer.from(text));
      const after: FileState = { kind: 'file', mode: '644', sha256, size };
      return { path, before, after };
    }),
  );
  return deltaOf(attempt.snapshot, changes);
}

/** The texts at paths of the workspace's head; null for none. */
export async function textsAt(
  kernel: TestKernel,
  tenant: TestTenant,
  paths: readonly string[],
): Promise<Record<string, string | null>> {
  const { rows } = await kernel.admin.query<{ head_snapshot_id: string }>(
    'SELECT head_snapshot_id FROM kernel.workspace WHERE workspace_id = $1',
    [tenant.workspaceId],
  );
  return await textsIn(kernel, tenant, rows[0]?.head_snapshot_id ?? '', paths);
}

async function textsIn(
  kernel: TestKernel,
  tenant: TestTenant,
  snapshot: string,
  paths: readonly string[],
): Promise<Record<string, string | null>> {
  const trees = new Trees(kernel.blobs);
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => {
        const state = await trees.at(tenant.tenantId, snapshot, path as WorkspacePath);
        return [path, await textOf(kernel, tenant, state?.sha256 ?? null)] as const;
      }),
    ),
  );
}

async function textOf(kernel: TestKernel, tenant: TestTenant, sha256: string | null): Promise<string | null> {
  return sha256 === null ? null : Buffer.from(await kernel.blobs.get(tenant.tenantId, sha256)).toString();
}
