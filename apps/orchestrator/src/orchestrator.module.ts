// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import { pgBlobs } from '@writ/blobs-pg';
import { subjectsOf } from '@writ/contract';
import { createPool, verifyDurability } from '@writ/database';
import { Readiness, type Given } from '@writ/nest-kit';
import { AgentsController } from './agents/agents.controller.ts';
import { ApprovalsController } from './approvals/approvals.controller.ts';
import { CallsController } from './calls/calls.controller.ts';
import { Propose } from './calls/propose.ts';
import { CheckpointController } from './checkpoint/checkpoint.controller.ts';
import type { OrchestratorConfig } from './config.env.ts';
import { SystemController } from './describe/system.controller.ts';
import { AccessGuard } from './http/access.guard.ts';
import { AccessLog } from './http/access-log.ts';
import { Authenticator } from './http/authenticator.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { Published } from './http/published-keys.ts';
import { RateLimit } from './http/rate-limit.ts';
import { ChangeKeys } from './keys/change-keys.ts';
import { KeysController } from './keys/keys.controller.ts';
import { ApiDocument } from './openapi/document.ts';
import { OperationsController } from './operations/operations.controller.ts';
import { ReceiptController } from './operations/receipt.controller.ts';
import { ApiKeys } from './ports/api-keys.ts';
import { Follow } from './replies/follow.ts';
import { OperationEventsController } from './replies/operation-events.controller.ts';
import { OperationWatch } from './replies/operation-watch.ts';
import { ShowOperation } from './replies/show-operation.ts';
import { PrismaApiKeys } from './store/prisma-api-keys.ts';
import { KernelClient } from './support/kernel-client.ts';
import { LedgerClient } from './support/ledger-client.ts';
import { Lifetime } from './support/lifetime.ts';
import { CreateTenant } from './tenants/create-tenant.ts';
import { TenantsController } from './tenants/tenants.controller.ts';
import { TokensController } from './tokens/tokens.controller.ts';
import { ToolsController } from './tools/tools.controller.ts';
import { FilesController } from './workspaces/files.controller.ts';
import { PutFiles } from './workspaces/put-files.ts';
import { ReadFile } from './workspaces/read-file.ts';
import { ReadTree } from './workspaces/read-tree.ts';
import { Snapshots } from './workspaces/snapshots.ts';
import { WorkspacesController } from './workspaces/workspaces.controller.ts';

export const VERSION = '0.1.0';

/** Directory nodes and small files that are looked at again and again. */
const BLOB_CACHE_BYTES = 32 * 1024 * 1024;

const epoch = (): number => Date.now();
const monotonic = (): number => performance.now();

/** out: what this process keeps, and where */
export interface Stores {
  readonly keys: ApiKeys;
  readonly blobs: BlobStore;
  readonly close: () => Promise<void>;
}

/** Both in Postgres. */
function openStores(config: OrchestratorConfig, { logger, readiness }: Given): Stores {
  const pool = createPool({ url: config.WRIT_ORCHESTRATOR_DATABASE_URL, applicationName: 'writ-orchestrator', onIdleError: (err) => logger.warn({ err }, 'a database connection died') });
  readiness.add('database', () => verifyDurability(pool));
  const keys = new PrismaApiKeys(pool);
  const close = async (): Promise<void> => {
    await keys.close();
    await pool.end();
  };
  return { keys, blobs: pgBlobs(pool), close };
}

/** with: what the process is given, and what everything stands on */
function stand(config: OrchestratorConfig, { bus }: Given, { keys, blobs, close }: Stores) {
  const watch = new OperationWatch();
  const subjects = subjectsOf(config.WRIT_SHARD);
  return {
    keys, watch,
    kernel: new KernelClient(bus, subjects, epoch),
    ledger: new LedgerClient(bus, subjects, epoch),
    blobs: cachedBlobs(blobs, { bytesMax: BLOB_CACHE_BYTES }),
    authenticator: new Authenticator(keys, config.platformKeyHash, monotonic),
    lifetime: new Lifetime(() => watch.close(), close),
  };
}
type Ground = ReturnType<typeof stand>;

/** through: one use case a verb */
function useCases({ keys, watch, kernel, ledger, blobs, authenticator }: Ground): object[] {
  const follow = new Follow(kernel, watch, monotonic);
  const snapshots = new Snapshots(kernel, blobs);
  return [
    kernel, ledger, watch, follow, snapshots, authenticator,
    new ShowOperation(blobs),
    new Propose(kernel, blobs, follow),
    new CreateTenant(kernel, keys),
    new ChangeKeys(kernel, keys, authenticator),
    new ReadTree(snapshots),
    new ReadFile(snapshots, blobs),
    new PutFiles(kernel, blobs),
  ];
}

const given = <T extends object>(value: T): Provider => ({ provide: value.constructor as Type<T>, useValue: value });

/** The HTTP door: requests become questions to the kernel and the ledger. It decides nothing and runs nothing. */
@Module({})
export class OrchestratorModule {
  static with(config: OrchestratorConfig, parts: Given, stores: Stores = openStores(config, parts)): DynamicModule {
    const on = stand(config, parts, stores);
    const rate = new RateLimit({ perSecond: config.WRIT_RATE_PER_SECOND, burst: config.WRIT_RATE_BURST }, monotonic);
    return {
      module: OrchestratorModule,
      controllers: [
        TenantsController, KeysController, AgentsController, ToolsController, CallsController, OperationsController, ReceiptController, ApprovalsController, TokensController,
        WorkspacesController, FilesController, CheckpointController, SystemController, OperationEventsController,
      ],
      providers: [
        { provide: APP_GUARD, useValue: new AccessGuard(on.authenticator, rate) },
        { provide: APP_FILTER, useValue: new ProblemFilter(parts.logger) },
        ...useCases(on).map(given),
        { provide: ApiKeys, useValue: on.keys },
        { provide: Readiness, useValue: parts.readiness },
        ...[new ApiDocument(VERSION), new Published(config.publishedKeys), new AccessLog(parts.logger, parts.telemetry.meter, config.WRIT_REQUESTS_MAX), on.lifetime].map(given),
      ],
    };
  }
}
