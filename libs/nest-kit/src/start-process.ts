// SPDX-License-Identifier: Apache-2.0
import type { DynamicModule } from '@nestjs/common';
import type { Bus } from '@writ/bus';
import type { Process } from '@writ/contract';
import { ed25519Engine } from '@writ/signing';
import { startTelemetry, type Logger, type Telemetry } from '@writ/telemetry';
import { BusTransport } from './bus-transport.ts';
import type { CommonEnvironment } from './common-environment.ts';
import { NestLogger } from './nest-logger.ts';
import { OpsServer } from './ops-server.ts';
import { Readiness } from './readiness.ts';
import { startNest, type HttpEndpoint, type NestProcess } from './start-nest.ts';
import { telemetryOf } from './telemetry-of.ts';
import { whenReachable } from './when-reachable.ts';

/** What a process passes to the function that builds its module. */
export interface ProcessContext {
  readonly bus: Bus;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** The module adds checks of the dependencies that it needs; the check of the bus exists already. */
  readonly readiness: Readiness;
}

/** The parts that differ between processes. */
export interface ProcessPlan<C extends CommonEnvironment> {
  readonly process: Process;
  readonly version: string;
  /** As `readEnvironment` returned it. */
  readonly config: C;
  /** URLs of required dependencies, by the variables that name them. The start waits until they accept connections. */
  readonly needs: Readonly<Record<string, string>>;
  /** Connects the bus. Rejecting ends the process. `report` receives errors that no caller awaits. */
  readonly connectBus: (report: (error: unknown) => void) => Promise<Bus>;
  /** Makes the module of the process. A module that fails to start ends the process. */
  readonly module: (context: ProcessContext) => DynamicModule | Promise<DynamicModule>;
  /** Milliseconds for which the module lets work continue after a stop; 0 unless set. */
  readonly drainMs?: number;
  /** For a process that also answers HTTP. */
  readonly http?: HttpEndpoint;
}

/** A started process. */
export interface RunningProcess {
  /** Where /healthz, /readyz and /metrics are. */
  readonly opsUrl: string;
  readonly logger: Logger;
  /** Accepts no new work, finishes the running work, and closes. Later calls return the same promise. */
  stop(): Promise<void>;
}

/**
 * Starts a process: telemetry, ops server, dependencies, bus, module, transport, then ready. Undoes the completed steps
 * when one fails, and rejects.
 */
export async function startProcess<C extends CommonEnvironment>(plan: ProcessPlan<C>): Promise<RunningProcess> {
  const { config } = plan;
  const telemetry = startTelemetry({ service: plan.process, version: plan.version, ...telemetryOf(config) });
  const logger = telemetry.logger(config.WRIT_LOG_LEVEL);
  const report = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  const readiness = new Readiness();
  const ops = new OpsServer({
    host: config.WRIT_OPS_HOST,
    port: config.WRIT_OPS_PORT,
    version: plan.version,
    readiness,
    metricsText: () => telemetry.metricsText(),
  });
  // Undone in the reverse order: requests end before the bus, and the bus before the telemetry that reports about it.
  const undo: (() => Promise<void>)[] = [() => telemetry.shutdown()];
  const stop = onceOnly(async () => {
    readiness.stopping();
    for (const step of undo.splice(0).reverse()) await step().catch(report);
  });
  try {
    const opsPort = await ops.listen();
    undo.push(() => ops.close());
    await whenReachable(plan.needs, {
      withinMs: config.WRIT_START_WAIT_MS,
      report: (variable, address) => logger.warn({ variable, address }, 'waits until somebody listens'),
    });
    const bus = await plan.connectBus(report);
    undo.push(() => bus.close());
    readiness.add('bus', () => {
      if (!bus.isConnected()) throw new Error('the bus is not connected');
    });
    const transport = new BusTransport({ bus, process: plan.process, shard: config.WRIT_SHARD, telemetry, report });
    const app: NestProcess = await startNest(await plan.module({ bus, logger, telemetry, readiness }), {
      transport,
      logger: new NestLogger(logger),
      http: plan.http,
    });
    undo.push(() => app.close());
    readiness.started();
    const opsUrl = `http://${config.WRIT_OPS_HOST}:${opsPort}`;
    logReady(logger, opsUrl, app.url);
    return { opsUrl, logger, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function logReady(logger: Logger, opsUrl: string, url: string | undefined): void {
  const { name, without } = ed25519Engine;
  // The verdicts are the same, but operators should know of a process that takes twice the time for each signature.
  if (without !== null)
    logger.warn(
      { ed25519: name, because: without },
      'signatures are by the slower library: `sodium-native` does not load here',
    );
  logger.info({ ops_url: opsUrl, ed25519: name, ...(url === undefined ? {} : { url }) }, 'ready');
}

function onceOnly(fn: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= fn());
}
