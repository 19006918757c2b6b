// SPDX-License-Identifier: Apache-2.0
// The executor's own process with another runner for commands: it announces an effect, makes one POST to
// WRIT_TEST_EFFECT_URL, and then never ends. With WRIT_TEST_EFFECT_OBEYS it ends when it is stopped.
import 'reflect-metadata';
import { processBus } from '@writ/bus-nats';
import { bootProcess, readSecretFile } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { readConfig } from '../../../../apps/executor/dist/config.env.js';
import { ExecutorModule } from '../../../../apps/executor/dist/executor.module.js';

const effectUrl = process.env['WRIT_TEST_EFFECT_URL'];

const runner = {
  toolClass: 'sandboxed',
  async run(call, { announceEffectStarted, signal }) {
    await announceEffectStarted();
    await fetch(effectUrl, { method: 'POST', body: call.operationId });
    return await new Promise((_resolve, reject) => {
      if (process.env['WRIT_TEST_EFFECT_OBEYS']) signal.addEventListener('abort', () => reject(signal.reason));
    });
  },
};

void bootProcess(() => {
  const config = readConfig();
  return {
    process: 'executor',
    version: '0.1.0',
    config,
    needs: { WRIT_NATS_URL: config.WRIT_NATS_URL, WRIT_EXECUTOR_DATABASE_URL: config.WRIT_EXECUTOR_DATABASE_URL },
    connectBus: (report) =>
      processBus('executor', {
        url: config.WRIT_NATS_URL,
        shard: config.WRIT_SHARD,
        user: config.WRIT_NATS_USER,
        password: readSecretFile('WRIT_NATS_PASSWORD_FILE', config.WRIT_NATS_PASSWORD_FILE),
        trace: traceHooks,
        report,
      }),
    module: (given) => ExecutorModule.with(config, given, { runners: () => [runner] }),
  };
});
