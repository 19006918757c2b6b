// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { pgBlobs } from '@writ/blobs-pg';
import { memoryBus } from '@writ/bus';
import { OperationView, parseMessage, subjectsOf } from '@writ/contract';
import { connect, createPool } from '@writ/database';
import { FixedKeys } from '@writ/signing';
import { BusTransport, FaultFilter, Readiness } from '@writ/nest-kit';
import { startTelemetry } from '@writ/telemetry';
import { testDatabase } from '@writ/testing';
import { InlineTaskRunner } from '@writ/worker-pool';
import type { KernelConfig } from './config.env.ts';
import { KernelModule } from './kernel.module.ts';
import { kernelTasks } from './kernel.worker.ts';
import { loadPolicyEngine } from './judging/policies/index.ts';
import { newId } from '@writ/nest-kit';
import { newSigner } from './specs/test-kernel.ts';
import { requires, ScriptedPolicy } from './specs/test-ports.ts';
import { TestTenant } from './specs/test-tenant.ts';

test('the whole kernel starts, serves its verbs over the bus, and stops', async () => {
  const database = await testDatabase();
  const config = {
    WRIT_SHARD: 's0',
    WRIT_KERNEL_DATABASE_URL: database.urlFor('writ_kernel'),
    WRIT_KERNEL_WORKER_DATABASE_URL: database.urlFor('writ_kernel_worker'),
    WRIT_SANDBOX_IMAGE_DIGEST: `sha256:${'1'.repeat(64)}`,
    sandboxImages: { v: 1, images: [] },
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
  policy.answer = requires('soft_gate');
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
  try {
    const tenant = await TestTenant.create(admin, pgBlobs(pool), config.masterKeys.current);
    const ask = (name: string, payload: unknown) =>
      bus.request(subjectsOf('s0').request(name), payload, { deadline: Date.now() + 5000 });
    const view = parseMessage(OperationView, await ask('kernel.admit', tenant.writeCall(await tenant.token())));
    expect(view.state).toBe('held');
    const caller = { tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
    const list = await ask('kernel.approval.list', { v: 1, caller, page: { cursor: null, limit: 10 }, state: null });
    expect(list).toMatchObject({ items: [{ approval_id: view.approval_id, args: { path: 'a.txt' } }] });
    expect(
      await ask('kernel.approval.decide', {
        v: 1,
        caller,
        approval_id: view.approval_id,
        decision: 'approve',
        comment: null,
      }),
    ).toMatchObject({ state: 'admitted' });
    expect(await ask('kernel.operation.cancel', { v: 1, caller, operation_id: view.operation_id })).toMatchObject({
      state: 'refused',
    });
    await expect(ask('kernel.admit', { v: 2 })).rejects.toMatchObject({ code: 'request.malformed' });
    expect(await readiness.look()).toMatchObject({ ready: true, checks: { database: 'ok' } });
    const metrics = await telemetry.metricsText();
    expect(metrics).toContain('writ_operations_decided_total{verdict="held",tool="fs.write",lane="inline"} 1');
    expect(metrics).toContain('writ_outbox_records 4');
    expect(metrics).toContain('writ_approvals_decided_total{decision="approved"} 1');
    expect(metrics).toContain('writ_approvals_waiting{of="action"} 0');
    expect(metrics).toContain('writ_operations_active{state="admitted",lane="inline"} 0');
    expect(metrics).toContain('writ_dispatch_slots{lane="inline",state="free"} 0');
    expect(metrics).toMatch(
      /^db_client_connection_wait_time_seconds_count\{db_client_connection_pool_name="tenants"\} [1-9]/m,
    );
  } finally {
    await app.close();
    await Promise.all([pool.end(), admin.end(), bus.close(), telemetry.shutdown()]);
    await database.drop();
  }
}, 120_000);
