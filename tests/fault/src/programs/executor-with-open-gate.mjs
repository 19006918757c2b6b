// SPDX-License-Identifier: Apache-2.0
// The executor's own process with a broken gate: it takes every name for one of a public host, and connects to loopback
// whatever the address is. So a request for `localhost` reaches what listens there.
import 'reflect-metadata';
import { once } from 'node:events';
import { connect } from 'node:net';
import { processBus } from '@writ/bus-nats';
import { bootProcess, readSecretFile } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { readConfig } from '../../../../apps/executor/dist/config.env.js';
import { ExecutorModule } from '../../../../apps/executor/dist/executor.module.js';

const PUBLIC = '93.184.216.34';

const egress = {
  resolve: () => Promise.resolve([PUBLIC]),
  dial: async ({ port }) => {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    return socket;
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
    module: (given) => ExecutorModule.with(config, given, { egress }),
  };
});
