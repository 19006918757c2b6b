// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { memoryBus, type Bus, type WorkMessage } from '@writ/bus';
import { memoryBlobs, type BlobStore } from '@writ/blobs';
import {
  definitionForDigest,
  Fault,
  formatId,
  runsInContainer,
  SHELL_RUN,
  subjectsOf,
  TOOLS,
  type AssignedEvent,
  type Lane,
  type Permit,
  type Redemption,
  type ReportRequest,
  type SlotsEvent,
  type ToolDefinition,
} from '@writ/contract';
import { actionDigest, argsHash, canonicalBytes, sha256Hex } from '@writ/digest';
import { sealPermit } from '@writ/permit';
import { parseSigner, parseVerifier } from '@writ/signing';
import type { Telemetry } from '@writ/telemetry';
import { InlineTaskRunner, type TaskRunner } from '@writ/worker-pool';
import { applyDelta, deltaOf, emptyTree, encodeNode, snapshotIdOf } from '@writ/workspace';
import { executorTasks, type ExecutorTasks } from '../calls/worker-tasks.ts';
import { RunningAttempts } from '../attempts/running-attempts.ts';
import { Perform, type PerformOptions } from '../attempts/perform.ts';
import { EgressGate } from '../egress/gate.ts';
import { ImageError } from '@writ/sandbox/images';
import { CallImages } from '../images/call-images.ts';
import type { Runner } from '../calls/runner.ts';
import { KernelClient } from '../foundation/kernel-client.ts';
import { WorkIntake } from '../attempts/work-intake.ts';

export const tenantId = formatId('tenant', new Uint8Array(16).fill(1));
export const IMAGE = `sha256:${'1'.repeat(64)}`;
const signer = parseSigner(
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
);
const subjects = subjectsOf('test');
const executorId = formatId('executor', new Uint8Array(16).fill(2));
const SALT = new Uint8Array(32).fill(3);

/** A gate without network, for calls that send nothing. */
export const CLOSED_GATE = new EgressGate(
  {
    resolve: () => Promise.reject(new Error('nothing is resolved')),
    dial: () => Promise.reject(new Error('nothing is dialled')),
  },
  () => performance.now(),
);

type Answer = (payload: Record<string, unknown>) => unknown;

/** A kernel that answers as the test specifies, on an in-process bus, with clocks that the test moves. */
export class ScriptedKernel {
  readonly blobs: BlobStore = memoryBlobs();
  readonly reports: ReportRequest[] = [];
  readonly requestedVerbs: string[] = [];
  readonly released: Record<string, unknown>[] = [];
  readonly running = new RunningAttempts();
  work: TaskRunner<ExecutorTasks> = new InlineTaskRunner(executorTasks);
  epochMs = 1_000_000;
  monotonicMs = 0;
  leaseMs = 300;
  onRedeem: Answer = () => this.redemption;
  onRenew: Answer = () => ({ v: 1, lease_until: 0, stop: false });
  onReport: Answer = () => ({ v: 1, state: 'committed', tx_outcome: 'committed' });
  onEffect: Answer = () => ({ v: 1, lease_until: 0, stop: false });
  redemption!: Redemption;
  #bus!: Bus;
  #permit: Partial<Permit> = {};
  #kernelClient: KernelClient | undefined;

  async start(): Promise<this> {
    this.#bus = memoryBus({ now: () => this.epochMs });
    const serve = (verb: string, answer: () => Answer) =>
      this.#bus.serve(subjects.request(verb), {
        queue: 'kernel',
        concurrencyMax: 10,
        handler: (message) => {
          this.requestedVerbs.push(verb);
          return Promise.resolve().then(() => answer()(message.payload as Record<string, unknown>));
        },
      });
    await serve('kernel.redeem', () => this.onRedeem);
    await serve('kernel.renew', () => this.onRenew);
    await serve('kernel.effect_started', () => this.onEffect);
    await serve('kernel.release', () => (payload) => {
      this.released.push(payload);
      return { v: 1 };
    });
    await serve('kernel.report', () => (payload) => {
      const reply = this.onReport(payload);
      this.reports.push(payload as unknown as ReportRequest);
      return reply;
    });
    return this;
  }

  close(): Promise<void> {
    return this.#bus.close();
  }

  /** Stores files and returns the root of their tree. */
  async tree(files: Readonly<Record<string, string>>): Promise<string> {
    const empty = emptyTree();
    const put = async (bytes: Uint8Array) => (await this.blobs.put(tenantId, bytes)).sha256;
    for (const node of empty.nodes) await put(node.bytes);
    const dirs = new Set(
      Object.keys(files).flatMap((path) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, i, all) => all.slice(0, i + 1).join('/')),
      ),
    );
    const changes = [
      ...[...dirs].map((path) => ({
        path,
        before: null,
        after: { kind: 'dir' as const, mode: null, sha256: null, size: 0 },
      })),
      ...(await Promise.all(
        Object.entries(files).map(async ([path, text]) => ({
          path,
          before: null,
          after: {
            kind: 'file' as const,
            mode: '644' as const,
            sha256: await put(Buffer.from(text)),
            size: Buffer.byteLength(text),
          },
        })),
      )),
    ];
    const applied = await applyDelta(
      (hash) => this.blobs.get(tenantId, hash),
      empty.root,
      deltaOf(snapshotIdOf(empty.root), changes),
    );
    for (const node of applied.nodes) await put(node.bytes);
    return applied.root;
  }

  /** The root of a tree of so many MiB, whose contents don't exist. */
  async treeOfSize(mib: number): Promise<string> {
    const files = Array.from({ length: mib }, (_, i) => ({
      kind: 'file' as const,
      mode: '644' as const,
      name: `f${i}`,
      sha256: '0'.repeat(64),
      size: 2 ** 20,
    }));
    return (await this.blobs.put(tenantId, encodeNode(files).bytes)).sha256;
  }

  /** Makes a permit for a call, and the redemption for it. */
  order(
    toolId: string,
    args: Record<string, unknown>,
    root: string,
    over: { permit?: Partial<Permit>; redemption?: Partial<Redemption>; definition?: ToolDefinition } = {},
  ): WorkMessage & { settled: string[] } {
    const tool = over.definition ?? TOOLS.get(toolId) ?? SHELL_RUN;
    const operation_id = formatId('operation', new Uint8Array(16).fill(4));
    const capability_token_id = formatId('token', new Uint8Array(16).fill(5));
    const image_digest = runsInContainer(tool) ? IMAGE : null;
    const tool_definition_digest = sha256Hex(canonicalBytes(definitionForDigest(tool)));
    const policy_hash = '0'.repeat(64);
    const state_snapshot_id = snapshotIdOf(root);
    this.redemption = {
      v: 1,
      operation_id,
      tenant_id: tenantId,
      attempt: 1,
      tool_id: toolId,
      tool_definition_digest,
      args,
      args_ref: null,
      args_salt: Buffer.from(SALT).toString('base64'),
      capability_token_id,
      policy_hash,
      workspace_id: formatId('workspace', new Uint8Array(16).fill(6)),
      state_snapshot_id,
      image_digest,
      fs: [[{ path: '', read: true, write: true }]],
      secrets: {},
      limits: { ...tool.limits },
      nodes: [],
      lease_until: 0,
      lease_ms: this.leaseMs,
      ...over.redemption,
    };
    this.#permit = {
      v: 1,
      permit_id: formatId('permit', randomBytes(16)),
      tenant_id: tenantId,
      operation_id,
      attempt: 1,
      mode: 'run',
      lane: (tool.lane ?? tool.class) as Lane,
      tool_id: toolId,
      image_digest,
      issued_at: this.epochMs,
      expires_at: this.epochMs + 30_000,
      action_digest: actionDigest({
        tool_id: toolId,
        tool_definition_digest,
        args_hash: argsHash(SALT, args),
        capability_token_id,
        policy_hash,
        state_snapshot_id,
        image_digest,
      }),
      ...over.permit,
    };
    const settled: string[] = [];
    return {
      bytes: Buffer.from(JSON.stringify(sealPermit(this.#permit as Permit, signer))),
      headers: {},
      delivery: 1,
      settled,
      ack: () => settled.push('ack'),
      nak: () => settled.push('nak'),
      term: () => settled.push('term'),
    };
  }

  /** Starts an executor's intake on this kernel's bus, and collects its announcements of slots. */
  async startIntake(
    runners: readonly Runner[],
    { meter, logger }: Pick<Telemetry, 'meter' | 'logger'>,
  ): Promise<{ readonly intake: WorkIntake; readonly announcements: SlotsEvent[] }> {
    const announcements: SlotsEvent[] = [];
    await this.#bus.subscribe(subjects.event('slots', '_'), ({ payload }) => {
      announcements.push(payload as SlotsEvent);
    });
    const intake = new WorkIntake(this.#bus, subjects, this.executor(runners), logger('silent'), meter, {
      executorId,
      slots: { inline: 1, sandboxed: 1, broker: 0 },
      publicKey: () => this.#client.publicKey(),
      monotonic: () => this.monotonicMs,
    });
    await intake.start();
    while (announcements.length === 0)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    return { intake, announcements };
  }

  /** Sends the last ordered call to the executor as an assigned call. */
  assign(order: WorkMessage, mark: string, over: Partial<AssignedEvent> = {}): void {
    const permit = JSON.parse(Buffer.from(order.bytes).toString('utf8')) as AssignedEvent['permit'];
    this.#bus.publish(subjects.event('assigned', executorId), {
      v: 1,
      permit,
      nonce: 'a'.repeat(32),
      mark,
      redemption: this.redemption,
      ...over,
    });
  }

  get #client(): KernelClient {
    return (this.#kernelClient ??= new KernelClient(this.#bus, subjects, () => this.epochMs));
  }

  executor(runners: readonly Runner[], options: Partial<PerformOptions> = {}): Perform {
    return new Perform({
      kernel: this.#client,
      blobs: this.blobs,
      runners,
      running: this.running,
      work: this.work,
      verifiers: new Map([[signer.keyid, parseVerifier(signer.publicJwk)]]),
      clocks: { epoch: () => this.epochMs, monotonic: () => this.monotonicMs },
      options: { executorId, images: new Set([IMAGE]), ...options },
      images: new CallImages({
        runnable: () => Promise.reject(new ImageError('there is no engine')),
        passwd: () => Promise.resolve('sandbox:x:10001:10001::/tmp:/bin/bash\nbuilder:x:2000:2000::/:/bin/sh\n'),
      }),
    });
  }
}

export const refuse =
  (code: ConstructorParameters<typeof Fault>[0]): Answer =>
  () => {
    throw new Fault(code);
  };
