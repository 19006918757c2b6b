// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import type { ProcessContext } from '@writ/nest-kit';
import { workerProgram } from '@writ/worker-pool';
import { ApiModule } from './api/api.module.ts';
import { EXAMPLE_REQUESTS } from './api/example-requests.ts';
import { NAMED } from './api/named-schemas.ts';
import { WEBHOOK_MESSAGES } from './api/messages.ts';
import { ROUTES } from './api/routes.ts';
import { TAGS } from './api/tags.ts';
import { CallsModule } from './calls/calls.module.ts';
import type { OrchestratorConfig } from './config.env.ts';
import { DeliveryModule } from './delivery/delivery.module.ts';
import { EdgeModule, type ApiParts } from './edge/edge.module.ts';
import { RunsModule } from './runs/runs.module.ts';
import { StoreModule, type Stores } from './store/store.module.ts';

const API: ApiParts = {
  routes: ROUTES,
  named: NAMED,
  tags: TAGS,
  messages: WEBHOOK_MESSAGES,
  examples: EXAMPLE_REQUESTS,
  workers: workerProgram('orchestrator.worker', import.meta.url),
};

/**
 * The HTTP API: it turns requests into messages to the kernel and the ledger, and decides and runs nothing itself. Each
 * module imports only from those before it.
 */
@Module({})
export class OrchestratorModule {
  /** @param stores the stores of rows and blobs; by default in Postgres */
  static with(config: OrchestratorConfig, given: ProcessContext, stores?: Stores): DynamicModule {
    const store = StoreModule.with(config, given, stores);
    const edge = EdgeModule.with(config, given, API, [store]);
    const calls = CallsModule.with(config, given, [store, edge]);
    const runs = RunsModule.with(config, given, [store, edge, calls]);
    const delivery = DeliveryModule.with(config, given, [store, edge, calls, runs]);
    const api = ApiModule.with(config, given, [store, edge, calls, runs, delivery]);
    return { module: OrchestratorModule, imports: [store, edge, calls, runs, delivery, api] };
  }
}
