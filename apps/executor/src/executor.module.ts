// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import { diskCachedBlobs, pgBlobs } from '@writ/blobs-pg';
import { SANDBOX_LIMITS, subjectsOf, type Lane, type SandboxImages, type Subjects } from '@writ/contract';
import { createPool, verifyDurability, type Pool } from '@writ/database';
import { PublicKeyFile } from '@writ/nest-kit/keys';
import {
  followKeys,
  Lifetime,
  named,
  newId,
  outboundOf,
  readImagesFile,
  type ProcessContext,
  type Repeated,
} from '@writ/nest-kit';
import { DockerSandbox } from '@writ/sandbox-docker';
import type { ContainerSandbox, SandboxEventListener, WarmPoolConfig } from '@writ/sandbox-host';
import { KubeApi, KubernetesSandbox, parseHostPort, referencesFrom } from '@writ/sandbox-k8s';
import { ConnectionWatch } from '@writ/telemetry';
import { poolSizes, watchPool, workerProgram } from '@writ/worker-pool';
import Docker from 'dockerode';
import type { ExecutorConfig } from './config.env.ts';
import { EgressGate } from './egress/gate.ts';
import { watchGate } from './egress/gate-watch.ts';
import type { EgressPorts } from './egress/ports.ts';
import { systemEgress } from './egress/system-ports.ts';
import { Perform } from './attempts/perform.ts';
import { Running } from './attempts/running.ts';
import { Outputs } from './outputs/outputs.ts';
import { BrokerRunner } from './runners/broker-runner.ts';
import { CONTAINER_TMPFS_BYTES } from './runners/container-room.ts';
import { DangerousRunner } from './runners/dangerous-runner.ts';
import { InlineRunner } from './runners/inline-runner.ts';
import type { Runner } from './calls/runner.ts';
import { SandboxedRunner } from './runners/sandboxed-runner.ts';
import { ScriptRunner } from './runners/script-runner.ts';
import { PermitSubscription } from './sessions/permit-subscription.ts';
import { SessionRunner } from './sessions/session-runner.ts';
import { Sessions } from './sessions/sessions.ts';
import { EngineCheck } from './foundation/engine-check.ts';
import { ExecutorPool, INPUT_BYTES_MAX } from './calls/executor-pool.ts';
import { KernelClient } from './foundation/kernel-client.ts';
import { drainCalls } from './foundation/drain.ts';
import { sandboxEvents, watchWarmPools } from './foundation/sandbox-events.ts';
import { sandboxSettings } from './foundation/sandbox-settings.ts';
import { PeekController, Peeks } from './attempts/peek.controller.ts';
import { StopController } from './attempts/stop.controller.ts';
import { Take } from './attempts/take.ts';

/** Directory nodes and small files: what most calls read again and again. */
const MEMORY_CACHE_BYTES = 64 * 1024 * 1024;

const epoch = (): number => Date.now();
const monotonic = (): number => performance.now();

/**
 * More runners, in the place of its own for their classes, or for classes of tools that this executor has none of
 * itself.
 */
export interface ExecutorParts {
  readonly runners?: (blobs: BlobStore) => readonly Runner[];
  /**
   * what the way out reaches the world by; this machine's network unless given. No configuration gives one: only a
   * program that is written for it.
   */
  readonly egress?: EgressPorts;
}

@Module({})
export class ExecutorModule {
  /**
   * Reads the texts that only a driver understands, before anything is opened.
   * @throws EnvironmentError that names the variable
   */
  static verify(config: ExecutorConfig): void {
    const settings = sandboxSettings(config);
    if (settings.driver === 'docker') return;
    named('WRIT_SANDBOX_IMAGE', () => referencesFrom(settings.image, config.WRIT_SANDBOX_IMAGE_DIGEST));
    named('WRIT_SANDBOX_CANARY', () => parseHostPort(settings.canary));
  }

  static async with(config: ExecutorConfig, given: ProcessContext, parts: ExecutorParts = {}): Promise<DynamicModule> {
    const { bus, logger, telemetry, readiness } = given;
    const dependencies = await openDependencies(config, given, parts);
    const { executorId, subjects, pool, sandbox, permitKeys, work, running, outputs, kernel, sessions } = dependencies;
    const perform = performOf(dependencies, runnersOf(config, dependencies, parts));
    const take = new Take(bus, subjects, perform, logger, telemetry.meter, {
      executorId,
      publicKey: () => kernel.publicKey(),
      monotonic,
      slots: slotsOf(config),
    });
    const hears = new PermitSubscription(bus, subjects, executorId, perform, logger);
    readiness.add('database', () => verifyDurability(pool));
    // Without commands nothing runs in a sandbox: then no engine is needed.
    const engine = new EngineCheck(sandbox, config.WRIT_SANDBOX_DRIVER, logger, monotonic);
    if (config.WRIT_SLOTS_SANDBOXED > 0) readiness.add('sandbox_engine', () => engine.run());
    return {
      module: ExecutorModule,
      controllers: [StopController, PeekController],
      providers: [
        { provide: Running, useValue: running },
        { provide: ExecutorPool, useValue: work },
        {
          provide: Peeks,
          useValue: new Peeks(outputs, executorId, (event) => bus.publish(subjects.event('peeked', '_'), event)),
        },
        {
          provide: Lifetime,
          useValue: new Lifetime({
            workers: [
              take,
              hears,
              followed(followKeys([{ what: 'public permit keys', keys: permitKeys }], { logger, telemetry })),
            ],
            drain: drainCalls(running, [sessions, sandbox, work], pool, config.WRIT_DRAIN_MS),
          }),
        },
      ],
    };
  }
}

/** What calls are run by and on. */
interface Dependencies {
  readonly executorId: string;
  readonly subjects: Subjects;
  readonly pool: Pool;
  readonly blobs: BlobStore;
  readonly sandbox: ContainerSandbox;
  /** the images that calls may run in here, `sha256:…` */
  readonly imageDigests: ReadonlySet<string>;
  readonly permitKeys: PublicKeyFile;
  readonly gate: EgressGate;
  readonly work: ExecutorPool;
  readonly running: Running;
  readonly outputs: Outputs;
  readonly kernel: KernelClient;
  readonly sessions: Sessions;
}

/** @throws EnvironmentError that names the variable of a file or directory that can't be used */
async function openDependencies(
  config: ExecutorConfig,
  { bus, logger, telemetry }: ProcessContext,
  parts: ExecutorParts,
): Promise<Dependencies> {
  const executorId = config.WRIT_EXECUTOR_ID ?? newId('executor');
  const subjects = subjectsOf(config.WRIT_SHARD);
  const pool = new ConnectionWatch(telemetry.meter).pool('executor', (onWait) =>
    createPool({ url: config.WRIT_EXECUTOR_DATABASE_URL, applicationName: `writ-executor ${executorId}`, onWait }),
  );
  const blobs = await openBlobs(config, pool);
  const images = readImagesFile('WRIT_SANDBOX_IMAGES_FILE', config.WRIT_SANDBOX_IMAGES_FILE);
  const sandbox = await openSandbox(config, executorId, images, sandboxEvents(logger, telemetry.meter));
  watchWarmPools(telemetry.meter, sandbox);
  const permitKeys = new PublicKeyFile(config.WRIT_PERMIT_PUBLIC_KEYS_FILE, ({ closesAt }) => closesAt === null);
  const kernel = new KernelClient(bus, subjects, epoch);
  return {
    executorId,
    subjects,
    pool,
    blobs,
    sandbox,
    imageDigests: new Set([config.WRIT_SANDBOX_IMAGE_DIGEST, ...images.images.map(({ digest }) => digest)]),
    permitKeys,
    gate: openGate(config, telemetry, parts),
    work: openWork(telemetry),
    running: new Running(),
    outputs: new Outputs(),
    kernel,
    sessions: openSessions(config, kernel, executorId),
  };
}

/** A runner for each class of tools, and for the tools that have their own. */
function runnersOf(
  config: ExecutorConfig,
  { blobs, sandbox, gate, outputs, sessions }: Dependencies,
  parts: ExecutorParts,
): readonly Runner[] {
  const commands = new SandboxedRunner(sandbox, blobs, gate, { outputs, heardBytes: config.WRIT_OUTPUT_HEARD_BYTES });
  return [
    new InlineRunner(blobs, monotonic),
    commands,
    new ScriptRunner(commands),
    new DangerousRunner(commands, blobs),
    new SessionRunner({ shells: sandbox.shells, sessions, blobs, outputs }),
    new BrokerRunner(blobs, gate, monotonic),
    ...(parts.runners?.(blobs) ?? []),
  ];
}

function performOf(
  { executorId, imageDigests, permitKeys, kernel, blobs, running, work }: Dependencies,
  runners: readonly Runner[],
): Perform {
  return new Perform({
    kernel,
    blobs,
    running,
    work,
    clocks: { epoch, monotonic },
    runners,
    verifiers: permitKeys.byKeyid,
    options: { executorId, images: imageDigests },
  });
}

/**
 * The blobs of the database, behind a cache on disk and one in memory.
 * @throws EnvironmentError that names the variable of a cache directory that can't be used
 */
async function openBlobs(config: ExecutorConfig, pool: Pool): Promise<BlobStore> {
  const stored = await diskCachedBlobs(pgBlobs(pool), {
    dir: config.WRIT_CACHE_DIR,
    bytesMax: config.WRIT_CACHE_BYTES,
  }).catch((error: unknown) =>
    named('WRIT_CACHE_DIR', () => {
      throw error;
    }),
  );
  return cachedBlobs(stored, { bytesMax: MEMORY_CACHE_BYTES });
}

/** The egress gate of all calls. Hosts of search providers may be inside: only a search reaches those. */
function openGate(
  config: ExecutorConfig,
  { meter }: ProcessContext['telemetry'],
  { egress }: ExecutorParts,
): EgressGate {
  const searchHosts = config.WRIT_SEARCH_HOSTS.split(',').filter((host) => host !== '');
  return new EgressGate(
    egress ?? systemEgress(outboundOf(config, searchHosts)),
    monotonic,
    searchHosts,
    watchGate(meter),
  );
}

/** The worker threads, watched. */
function openWork({ meter }: ProcessContext['telemetry']): ExecutorPool {
  const work = new ExecutorPool({
    ...poolSizes(),
    filename: workerProgram('executor.worker', import.meta.url),
    inputBytesMax: INPUT_BYTES_MAX,
  });
  watchPool(meter, work);
  return work;
}

/** The shells that live between calls: the kernel renews and ends them in this executor's name. */
function openSessions(config: ExecutorConfig, kernel: KernelClient, executorId: string): Sessions {
  return new Sessions(
    {
      renewShell: (shell, timeoutMs) => kernel.renewShell({ ...shell, executor_id: executorId }, timeoutMs),
      endShell: (shell, ending, timeoutMs) => kernel.endShell({ ...shell, executor_id: executorId }, ending, timeoutMs),
    },
    { sessionsMax: config.WRIT_SESSIONS, idleMs: config.WRIT_SESSION_IDLE_MS },
  );
}

/** How many calls of each lane run at a time. */
const slotsOf = (config: ExecutorConfig): Readonly<Record<Lane, number>> => ({
  inline: config.WRIT_SLOTS_INLINE,
  sandboxed: config.WRIT_SLOTS_SANDBOXED,
  broker: config.WRIT_SLOTS_BROKER,
});

/** Sandboxes of the driver that is configured. Doesn't wait for its engine. */
async function openSandbox(
  config: ExecutorConfig,
  owner: string,
  images: SandboxImages,
  report: SandboxEventListener,
): Promise<ContainerSandbox> {
  const settings = sandboxSettings(config);
  const common = {
    label: config.WRIT_SANDBOX_LABEL,
    owner,
    pools: poolsOf(config, images),
    laidOut: config.WRIT_POOL_LAID_OUT,
    report,
  };
  if (settings.driver === 'docker') {
    return await DockerSandbox.open({
      ...common,
      docker: dockerOf(settings.host),
      ...(settings.runtime === undefined ? {} : { runtime: settings.runtime }),
    });
  }
  const { namespace, image, canary, runtimeClass, hostUsers, warmPools, kubeconfig } = settings;
  return await KubernetesSandbox.open({
    ...common,
    namespace,
    ...(runtimeClass === undefined ? {} : { runtimeClass }),
    ...(hostUsers === undefined ? {} : { hostUsers }),
    ...(warmPools === undefined ? {} : { warmPools }),
    referenceOf: referencesFrom(image, config.WRIT_SANDBOX_IMAGE_DIGEST),
    canaries: [parseHostPort(canary)],
    api: await KubeApi.load(kubeconfig === undefined ? {} : { kubeconfig }),
  });
}

/** Images by digest alone: a name may lead to another image by the time that a container is made of it. */
function poolsOf(config: ExecutorConfig, { images }: SandboxImages): WarmPoolConfig[] {
  const rows = [{ digest: config.WRIT_SANDBOX_IMAGE_DIGEST, pools: [{ count: config.WRIT_POOL_SIZE }] }, ...images];
  const sizeOf = ({ memory_bytes, pids }: { readonly memory_bytes?: number; readonly pids?: number }) => ({
    memoryBytes: memory_bytes ?? SANDBOX_LIMITS.memory_bytes,
    cpus: 1,
    pids: pids ?? SANDBOX_LIMITS.pids,
    tmpfsBytes: CONTAINER_TMPFS_BYTES,
  });
  return rows.flatMap(({ digest, pools = [] }) =>
    pools.map((pool) => ({ image: digest, size: sizeOf(pool), count: pool.count })),
  );
}

function dockerOf(host: string): Docker {
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) });
  const url = new URL(host.replace(/^tcp:/, 'http:'));
  return new Docker({
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    host: url.hostname,
    port: url.port || '2375',
  });
}

/** Begins with the taking of work, and ends with it. */
const followed = (keys: Repeated): { start(): Promise<void>; stop(): Promise<void> } => ({
  start: async () => keys.start(),
  stop: () => keys.stop(),
});
