// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { processBus } from '@writ/bus-nats';
import { bootProcess, VERSION } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { readConfig } from './config.env.ts';
import { ExecutorModule } from './executor.module.ts';

void bootProcess(() => {
  const config = readConfig();
  ExecutorModule.verify(config);
  return {
    process: 'executor',
    version: VERSION,
    config,
    needs: { WRIT_NATS_URL: config.WRIT_NATS_URL, WRIT_EXECUTOR_DATABASE_URL: config.WRIT_EXECUTOR_DATABASE_URL },
    drainMs: config.WRIT_DRAIN_MS,
    connectBus: (report) =>
      processBus('executor', {
        url: config.WRIT_NATS_URL,
        shard: config.WRIT_SHARD,
        user: config.WRIT_NATS_USER,
        password: config.natsPassword,
        caFile: config.WRIT_NATS_CA_FILE,
        trace: traceHooks,
        report,
      }),
    module: (context) => ExecutorModule.with(config, context),
  };
});
