// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { memoryBus } from '@writ/bus';
import { pgBlobs } from '@writ/blobs-pg';
import { subjectsOf } from '@writ/contract';
import { connect, createPool } from '@writ/database';
import { FixedKeys } from '@writ/signing';
import { BusTransport, FaultFilter, Readiness } from '@writ/nest-kit';
import { AllowedSources } from '@writ/sandbox/images';
import { startTelemetry } from '@writ/telemetry';
import { testDatabase } from '@writ/testing';
import { InlineTaskRunner } from '@writ/worker-pool';
import type { KernelConfig } from '../config.env.ts';
import { KernelModule } from '../kernel.module.ts';
import { kernelTasks } from '../kernel.worker.ts';
import { loadPolicyEngine } from '../judging/policies/index.ts';
import { newSigner } from './test-kernel.ts';
import { ScriptedPolicy } from './test-ports.ts';

/** The whole kernel as its module wires it, on a real database, with requests over a bus within this process. */
export async function openTestProcess() {
  const database = await testDatabase();
  const config = {
    WRIT_SHARD: 's0',
    WRIT_KERNEL_DATABASE_URL: database.urlFor('writ_kernel'),
    WRIT_KERNEL_WORKER_DATABASE_URL: database.urlFor('writ_kernel_worker'),
    WRIT_SANDBOX_IMAGE_DIGEST: `sha256:${'1'.repeat(64)}`,
    WRIT_IMAGE_SOURCES: '',
    sandboxImages: { v: 1, images: [] },
    allowedImages: AllowedSources.parse(''),
    WRIT_LEASE_MS: 1000,
    WRIT_PERMIT_TTL_MS: 1000,
    WRIT_SWEEP_MS: 50,
    WRIT_PLACES: 32,
    WRIT_PLACES_SHARED: 4,
    permitKeys: FixedKeys.of(newSigner()),
    recordKeys: FixedKeys.of(newSigner()),
    masterKeys: { current: randomBytes(32), before: null, next: null },
    natsPassword: null,
  } as unknown as KernelConfig;
  const telemetry = startTelemetry({ service: 'kernel', version: '0', destination: { write: () => undefined } });
  const [bus, logger, readiness, policy] = [
    memoryBus({ now: Date.now }),
    telemetry.logger('fatal'),
    new Readiness(),
    new ScriptedPolicy(),
  ];
  const transport = new BusTransport({
    bus,
    process: 'kernel',
    shard: 's0',
    telemetry,
    report: (error) => {
      throw error;
    },
  });
  const work = new InlineTaskRunner(kernelTasks);
  const app = await NestFactory.createMicroservice(
    KernelModule.with(config, { bus, logger, telemetry, readiness }, await loadPolicyEngine(work), work, policy),
    { logger: false, strategy: transport },
  );
  app.useGlobalFilters(new FaultFilter());
  await app.listen();
  readiness.started();
  const admin = await connect(database.ownerUrl, 'writ-kernel-spec');
  const pool = createPool({ url: database.urlFor('writ_kernel'), applicationName: 'writ-kernel-spec', max: 1 });
  return {
    config,
    telemetry,
    bus,
    readiness,
    policy,
    admin,
    blobs: pgBlobs(pool),
    request: (name: string, payload: unknown): Promise<unknown> =>
      bus.request(subjectsOf('s0').request(name), payload, { deadline: Date.now() + 5000 }),
    close: async () => {
      await app.close();
      await Promise.all([pool.end(), admin.end(), bus.close(), telemetry.shutdown()]);
      await database.drop();
    },
  };
}
