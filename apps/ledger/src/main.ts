// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { processBus } from '@writ/bus-nats';
import { bootProcess, fetchThrough, growHeapFreely, VERSION } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { readConfig } from './config.env.ts';
import { LedgerModule } from './ledger.module.ts';

growHeapFreely();
void bootProcess(() => {
  const config = readConfig();
  fetchThrough(config);
  return {
    process: 'ledger',
    version: VERSION,
    config,
    needs: { WRIT_NATS_URL: config.WRIT_NATS_URL, WRIT_LEDGER_DATABASE_URL: config.WRIT_LEDGER_DATABASE_URL },
    connectBus: (report) =>
      processBus('ledger', {
        url: config.WRIT_NATS_URL,
        shard: config.WRIT_SHARD,
        user: config.WRIT_NATS_USER,
        password: config.natsPassword,
        caFile: config.WRIT_NATS_CA_FILE,
        trace: traceHooks,
        report,
      }),
    module: (context) => LedgerModule.with(config, context),
  };
});
