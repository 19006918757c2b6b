// SPDX-License-Identifier: Apache-2.0
// The executor's own process with another internet. Every name has a public address, which the gate judges as usual;
// dialling it leads to a server on loopback, by the ports in WRIT_TEST_OUTSIDE ({"80": …, "443": …}). The file that
// WRIT_TEST_OUTSIDE_CA names holds the CA of their certificates.
import 'reflect-metadata';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { processBus } from '@writ/bus-nats';
import { bootProcess, readSecretFile } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { readConfig } from '../../../../apps/executor/dist/config.env.js';
import { ExecutorModule } from '../../../../apps/executor/dist/executor.module.js';

const PUBLIC = '93.184.216.34';
const ca = readFileSync(process.env['WRIT_TEST_OUTSIDE_CA'], 'utf8');
const ports = JSON.parse(process.env['WRIT_TEST_OUTSIDE']);

const egress = {
  resolve: (host) => Promise.resolve([host.startsWith('inward.') ? '127.0.0.1' : PUBLIC]),
  dial: async ({ address, port, tlsHost }) => {
    if (address !== PUBLIC) throw new Error(`\`${address}\` was not to be dialled`);
    const place = { host: '127.0.0.1', port: ports[port] };
    const socket = tlsHost === null ? connect(place) : connectTls({ ...place, servername: tlsHost, ca });
    await once(socket, tlsHost === null ? 'connect' : 'secureConnect');
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
