// SPDX-License-Identifier: Apache-2.0
import { natsBus, workLanesOf } from '@writ/bus-nats';
import { bootProcess, growHeapFreely, VERSION } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { poolSizes, workerProgram } from '@writ/worker-pool';
import { readConfig } from './config.env.ts';
import { KernelModule } from './kernel.module.ts';
import { loadPolicyEngine } from './judging/policies/index.ts';
import { KernelPool } from './kernel-pool.ts';

growHeapFreely();
await bootProcess(async () => {
  const config = readConfig();
  const work = new KernelPool({ ...poolSizes(), filename: workerProgram('kernel.worker', import.meta.url) });
  const engine = await loadPolicyEngine(work);
  return {
    process: 'kernel',
    version: VERSION,
    config,
    needs: { WRIT_NATS_URL: config.WRIT_NATS_URL, WRIT_KERNEL_DATABASE_URL: config.WRIT_KERNEL_DATABASE_URL },
    connectBus: (report) =>
      natsBus({
        url: config.WRIT_NATS_URL,
        user: config.WRIT_NATS_USER ?? 'kernel',
        password: config.natsPassword ?? undefined,
        caFile: config.WRIT_NATS_CA_FILE,
        lanes: workLanesOf(config.WRIT_SHARD, config.WRIT_STREAM_REPLICAS),
        keepsLanes: true,
        // It receives other replicas' events, not its own.
        echo: false,
        trace: traceHooks,
        report,
      }),
    module: (parts) => KernelModule.with(config, parts, engine, work),
  };
});
