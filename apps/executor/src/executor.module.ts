// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { pgAudioIngest } from '@writ/audio-pg';
import type { BlobStore } from '@writ/blobs';
import { subjectsOf, type Lane, type Subjects } from '@writ/contract';
import { createPool, verifyDurability, type Pool } from '@writ/database';
import { parsePrivateEndpoints } from '@writ/egress';
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
import type { TenantImages } from '@writ/sandbox/images';
import { DockerImages } from '@writ/sandbox-docker';
import type { ContainerSandbox } from '@writ/sandbox-host';
import { parseHostPort, referencesFrom } from '@writ/sandbox-k8s';
import { ConnectionWatch } from '@writ/telemetry';
import { poolSizes, watchPool, workerProgram } from '@writ/worker-pool';
import type { ExecutorConfig } from './config.env.ts';
import { EgressGate } from './egress/gate.ts';
import { watchGate } from './egress/gate-watch.ts';
import type { EgressPorts } from './egress/egress-ports.ts';
import { systemEgress } from './egress/system-ports.ts';
import { Perform } from './attempts/perform.ts';
import { RunningAttempts } from './attempts/running-attempts.ts';
import { LiveOutputs } from './outputs/live-outputs.ts';
import { WatchedOutputs } from './outputs/watched-outputs.ts';
import { BrokerRunner } from './runners/broker-runner.ts';
import { DangerousRunner } from './runners/dangerous-runner.ts';
import { InlineRunner } from './runners/inline-runner.ts';
import { MailSessions } from './runners/mail-sessions.ts';
import { McpSessions } from './runners/mcp/mcp-sessions.ts';
import { McpHttpTools } from './runners/mcp/mcp-http-tools.ts';
import type { McpPrograms } from './runners/mcp/stdio/mcp-programs.ts';
import { openPrograms, programImagesOf } from './runners/mcp/stdio/open-programs.ts';
import { LISTINGS_AT_ONCE } from './runners/mcp/mcp-intake.ts';
import { openMcpIntake } from './runners/mcp/open-mcp-intake.ts';
import { openTokenIntake } from './runners/mcp-oauth/open-token-intake.ts';
import { CallImages } from './images/call-images.ts';
import { openImageIntake } from './images/open-image-intake.ts';
import { PodImages } from './images/pod-images.ts';
import type { Runner } from './calls/runner.ts';
import { SandboxedRunner } from './runners/sandboxed-runner.ts';
import { ScriptRunner } from './runners/script-runner.ts';
import { openSandbox } from './runners/open-sandbox.ts';
import { openTranscription, type OpenTranscription } from './runners/open-transcription.ts';
import { openStores } from './runners/stores/open-stores.ts';
import type { StoreCalls } from './runners/stores/store-calls.ts';
import { PermitSubscription } from './sessions/permit-subscription.ts';
import { SessionRunner } from './sessions/session-runner.ts';
import { Sessions } from './sessions/sessions.ts';
import { EngineCheck } from './foundation/engine-check.ts';
import { ExecutorPool, INPUT_BYTES_MAX, sessionPoolSizes } from './calls/executor-pool.ts';
import { KernelClient } from './foundation/kernel-client.ts';
import { dockerOf } from './foundation/docker-of.ts';
import { openBlobs } from './foundation/open-blobs.ts';
import { drainCalls } from './foundation/drain.ts';
import { sandboxEvents, watchWarmPools } from './foundation/sandbox-events.ts';
import { sandboxSettings } from './foundation/sandbox-settings.ts';
import { LiveOutputController, LiveOutputReader } from './attempts/live-output.controller.ts';
import { StopController } from './attempts/stop.controller.ts';
import { WorkIntake } from './attempts/work-intake.ts';

const epoch = (): number => Date.now();
const monotonic = (): number => performance.now();
const WORKER_PROGRAM = workerProgram('executor.worker', import.meta.url);

/**
 * Runners that replace the executor's own for their classes, or add classes that it lacks, and another network access.
 */
export interface ExecutorParts {
  readonly runners?: (blobs: BlobStore) => readonly Runner[];
  /**
   * the network access of the egress gate; this machine's network by default. No configuration sets it: only a program
   * that embeds the module does.
   */
  readonly egress?: EgressPorts;
}

@Module({})
export class ExecutorModule {
  /** Parses the settings that only a driver understands, before anything is opened. */
  static verify(config: ExecutorConfig): void {
    const settings = sandboxSettings(config);
    if (settings.driver === 'docker') return;
    named('WRIT_SANDBOX_IMAGE', () => referencesFrom(settings.image, config.WRIT_SANDBOX_IMAGE_DIGEST));
    named('WRIT_SANDBOX_CANARY', () => parseHostPort(settings.canary));
  }

  static async with(
    config: ExecutorConfig,
    context: ProcessContext,
    parts: ExecutorParts = {},
  ): Promise<DynamicModule> {
    const { bus, logger, telemetry, readiness } = context;
    const dependencies = await openDependencies(config, context, parts);
    const { executorId, subjects, pool, sandbox, permitKeys, work, running, outputs, kernel } = dependencies;
    const perform = performOf(config, dependencies, runnersOf(config, dependencies, parts));
    const intake = new WorkIntake(bus, subjects, perform, logger, telemetry.meter, {
      executorId,
      publicKey: () => kernel.publicKey(),
      monotonic,
      slots: slotsOf(config),
    });
    const mcpIntakes = mcpIntakesOf(config, dependencies, context, parts);
    const imageIntake = openImageIntake(config, dependencies, context, parts.egress);
    const permitSubscription = new PermitSubscription(bus, subjects, executorId, perform, logger);
    readiness.add('database', () => verifyDurability(pool));
    // An executor without sandboxed slots runs nothing in a sandbox and needs no engine.
    const engine = new EngineCheck(sandbox, config.WRIT_SANDBOX_DRIVER, logger, monotonic);
    if (config.WRIT_SLOTS_SANDBOXED > 0) readiness.add('sandbox_engine', () => engine.run());
    return {
      module: ExecutorModule,
      controllers: [StopController, LiveOutputController],
      providers: [
        { provide: RunningAttempts, useValue: running },
        { provide: ExecutorPool, useValue: work },
        { provide: WatchedOutputs, useValue: dependencies.watched },
        {
          provide: LiveOutputReader,
          useValue: new LiveOutputReader(outputs, executorId, (event) =>
            bus.publish(subjects.event('peeked', '_'), event),
          ),
        },
        {
          provide: Lifetime,
          useValue: new Lifetime({
            workers: [
              intake,
              permitSubscription,
              ...(config.WRIT_SLOTS_SANDBOXED > 0 ? [imageIntake] : []),
              ...(config.WRIT_SLOTS_BROKER > 0 ? mcpIntakes : []),
              keyFollower(followKeys([{ what: 'public permit keys', keys: permitKeys }], { logger, telemetry })),
            ],
            drain: drainCalls(running, closingOf(dependencies), pool, config.WRIT_DRAIN_MS),
          }),
        },
      ],
    };
  }
}

/** The dependencies with which calls run. */
interface Dependencies extends OpenTranscription {
  readonly executorId: string;
  readonly subjects: Subjects;
  readonly pool: Pool;
  readonly blobs: BlobStore;
  readonly sandbox: ContainerSandbox;
  /** the images that calls of this executor may run in, `sha256:…` */
  readonly imageDigests: ReadonlySet<string>;
  readonly permitKeys: PublicKeyFile;
  readonly gate: EgressGate;
  readonly work: ExecutorPool;
  /** threads for sessions at servers, which wait more than they compute */
  readonly sessionThreads: ExecutorPool;
  readonly running: RunningAttempts;
  readonly outputs: LiveOutputs;
  readonly watched: WatchedOutputs;
  readonly kernel: KernelClient;
  readonly sessions: Sessions;
  readonly images: TenantImages;
  readonly programs: McpPrograms;
  readonly stores: StoreCalls;
  readonly hasModel: boolean;
}

/** What an executor closes when its calls have ended. */
const closingOf = ({ sessions, programs, stores, sandbox, work, sessionThreads, speech }: Dependencies) => [
  sessions,
  programs,
  stores,
  sandbox,
  work,
  sessionThreads,
  speech,
];

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
  const sessionThreads = new ExecutorPool({
    ...sessionPoolSizes(config.WRIT_SLOTS_BROKER + LISTINGS_AT_ONCE),
    filename: WORKER_PROGRAM,
  });
  return {
    executorId,
    subjects,
    pool,
    blobs,
    sandbox,
    imageDigests: new Set(
      config.WRIT_SLOTS_SANDBOXED === 0
        ? []
        : [config.WRIT_SANDBOX_IMAGE_DIGEST, ...images.images.map(({ digest }) => digest)],
    ),
    permitKeys,
    gate: openGate(config, telemetry, parts),
    ...openTranscription(config, { blobs, ingest: pgAudioIngest(pool), epoch, monotonic }),
    work: openWork(telemetry),
    sessionThreads,
    programs: openPrograms(config, { sandbox, kernel, executorId, threads: sessionThreads, logger, now: monotonic }),
    running: new RunningAttempts(),
    outputs: new LiveOutputs(),
    watched: new WatchedOutputs(executorId, (event) => bus.publish(subjects.event('output', event.tenant_id), event)),
    kernel,
    sessions: openSessions(config, kernel, executorId),
    images: openImages(config, executorId),
    ...(await openStores(config, pool, logger)),
  };
}

/** A runner for each class of tools, and for the tools that have their own. */
function runnersOf(config: ExecutorConfig, dependencies: Dependencies, parts: ExecutorParts): readonly Runner[] {
  const { blobs, sandbox, gate, outputs, watched, sessions, stores, transcription } = dependencies;
  const mail = new MailSessions(dependencies.sessionThreads);
  const mcp = new McpHttpTools(new McpSessions(dependencies.sessionThreads), monotonic);
  const commands = new SandboxedRunner(sandbox, blobs, gate, {
    outputs,
    watched,
    capturedBytesMax: config.WRIT_OUTPUT_HEARD_BYTES,
  });
  return [
    new InlineRunner(blobs, monotonic, dependencies.hasModel),
    commands,
    new ScriptRunner(commands),
    new DangerousRunner(commands, blobs),
    new SessionRunner({ shells: sandbox.shells, sessions, blobs, gate, outputs }),
    new BrokerRunner(blobs, gate, monotonic, { stores, transcription, mail, mcp, programs: dependencies.programs }),
    ...(parts.runners?.(blobs) ?? []),
  ];
}

function performOf(
  config: ExecutorConfig,
  { executorId, imageDigests, permitKeys, kernel, blobs, running, work, images }: Dependencies,
  runners: readonly Runner[],
): Perform {
  return new Perform({
    kernel,
    blobs,
    running,
    work,
    images: new CallImages(images),
    clocks: { epoch, monotonic },
    runners,
    verifiers: permitKeys.byKeyid,
    options: { executorId, images: imageDigests, programImages: programImagesOf(config, imageDigests) },
  });
}

/** The egress gate of all calls. Hosts of registered resources may have private addresses, for calls on those alone. */
function openGate(
  config: ExecutorConfig,
  { meter }: ProcessContext['telemetry'],
  { egress }: ExecutorParts,
): EgressGate {
  const privateEndpoints = parsePrivateEndpoints(config.WRIT_RESOURCE_HOSTS);
  const inside = privateEndpoints.map(({ host }) => host);
  return new EgressGate(
    egress ?? systemEgress(outboundOf(config, inside)),
    monotonic,
    privateEndpoints,
    watchGate(meter),
  );
}

/** The worker threads, with metrics. */
function openWork({ meter }: ProcessContext['telemetry']): ExecutorPool {
  const work = new ExecutorPool({ ...poolSizes(), filename: WORKER_PROGRAM, inputBytesMax: INPUT_BYTES_MAX });
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

/** The images of tenants, in the engine of the driver. */
function openImages(config: ExecutorConfig, executorId: string): TenantImages {
  const settings = sandboxSettings(config);
  if (settings.driver === 'kubernetes') return new PodImages(settings.image);
  return new DockerImages({
    docker: dockerOf(settings.host),
    sandboxImage: config.WRIT_SANDBOX_IMAGE_DIGEST,
    bounds: { bytesMax: config.WRIT_IMAGE_BYTES, wallMs: config.WRIT_IMAGE_MS },
    // As those of sandboxes, so that the sweep finds what a killed process left.
    labels: { writ: config.WRIT_SANDBOX_LABEL, 'writ.role': 'image', 'writ.owner': executorId },
  });
}

/** Work for MCP servers that is no call: listing their tools, and the tokens of persons. */
function mcpIntakesOf(
  config: ExecutorConfig,
  dependencies: Dependencies,
  context: ProcessContext,
  { egress }: ExecutorParts,
): readonly { start(): Promise<void>; stop(): Promise<void> }[] {
  return [openMcpIntake(config, dependencies, context, egress), openTokenIntake(config, dependencies, context, egress)];
}

/** Starts and stops with the intake of work. */
const keyFollower = (keys: Repeated): { start(): Promise<void>; stop(): Promise<void> } => ({
  start: async () => keys.start(),
  stop: () => keys.stop(),
});
