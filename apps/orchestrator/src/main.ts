// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { processBus } from '@writ/bus-nats';
import { bootProcess, fetchThrough, VERSION } from '@writ/nest-kit';
import { traceHooks } from '@writ/telemetry';
import { withConsole } from './api/console/serve-console.ts';
import { withSite } from './api/docs/serve-site.ts';
import { readConfig } from './config.env.ts';
import { ROUTES } from './api/routes.ts';
import { httpServerOf } from './edge/server/http-server.ts';
import { OrchestratorModule } from './orchestrator.module.ts';

void bootProcess(() => {
  const config = readConfig();
  fetchThrough(config);
  return {
    process: 'orchestrator',
    version: VERSION,
    config,
    needs: {
      WRIT_NATS_URL: config.WRIT_NATS_URL,
      WRIT_ORCHESTRATOR_DATABASE_URL: config.WRIT_ORCHESTRATOR_DATABASE_URL,
    },
    connectBus: (report) =>
      processBus('orchestrator', {
        url: config.WRIT_NATS_URL,
        shard: config.WRIT_SHARD,
        user: config.WRIT_NATS_USER,
        password: config.natsPassword,
        caFile: config.WRIT_NATS_CA_FILE,
        trace: traceHooks,
        report,
      }),
    module: (given) => OrchestratorModule.with(config, given),
    http: withConsole(withSite(httpServerOf(config, ROUTES)), config.WRIT_CONSOLE),
  };
});
