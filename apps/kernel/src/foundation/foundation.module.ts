// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { cachedBlobs, type BlobStore } from '@writ/blobs';
import { pgBlobs } from '@writ/blobs-pg';
import type { Bus } from '@writ/bus';
import { subjectsOf, type Subjects, type TenantLimits } from '@writ/contract';
import { createPool, refreshStatistics, STATISTICS_MS, verifyDurability } from '@writ/database';
import { ChangedLimits } from '@writ/fairness';
import { provideValue, type ProcessContext } from '@writ/nest-kit';
import { ConnectionWatch, type Meter } from '@writ/telemetry';
import type { KernelConfig } from '../config.env.ts';
import { CrossTenantPool, KERNEL_CONNECTIONS, TenantPool } from './database/pools.ts';
import type { PeriodicTask } from './periodic-task.ts';
import { limitsSince } from './tenancy/limits-since.ts';
import { Tenancy } from './tenancy/index.ts';
import { Sizes } from './workspace/sizes.ts';
import { Trees } from './workspace/trees.ts';

/** Caches tree nodes and small files, most of which are read at every call on a workspace. */
const BLOB_CACHE_BYTES = 64 * 1024 * 1024;
/**
 * How often the process reads which tenants' limits were changed, in milliseconds: changes take effect here within this
 * time.
 */
const LIMITS_MS = 500;

/** The dependencies of every other module. */
export interface Foundation {
  /** for errors of work that no caller awaits */
  readonly report: (error: unknown) => void;
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly meter: Meter;
  readonly tenants: TenantPool;
  readonly workers: CrossTenantPool;
  readonly blobs: BlobStore;
  readonly trees: Trees;
  readonly sizes: Sizes;
  readonly tenancy: Tenancy;
  readonly limits: ChangedLimits<TenantLimits>;
}

export function foundationOf(config: KernelConfig, { bus, logger, telemetry, readiness }: ProcessContext): Foundation {
  const report = (error: unknown): void => logger.error({ err: error }, 'unexpected error');
  const connections = new ConnectionWatch(telemetry.meter);
  const poolOf = (name: string, url: string, max: number) => ({
    pool: connections.pool(name, (onWait) =>
      createPool({ url, applicationName: 'writ-kernel', max, onWait, onIdleError: report }),
    ),
  });
  const { WRIT_KERNEL_DATABASE_URL, WRIT_KERNEL_WORKER_DATABASE_URL } = config;
  const tenants: TenantPool = poolOf('tenants', WRIT_KERNEL_DATABASE_URL, KERNEL_CONNECTIONS.tenants);
  const workers: CrossTenantPool = poolOf('workers', WRIT_KERNEL_WORKER_DATABASE_URL, KERNEL_CONNECTIONS.workers);
  readiness.add('database', () => verifyDurability(tenants.pool));
  const blobs = cachedBlobs(pgBlobs(tenants.pool), { bytesMax: BLOB_CACHE_BYTES });
  const trees = new Trees(blobs);
  return {
    report,
    bus,
    subjects: subjectsOf(config.WRIT_SHARD),
    meter: telemetry.meter,
    tenants,
    workers,
    blobs,
    trees,
    sizes: new Sizes(tenants, trees),
    tenancy: new Tenancy(tenants),
    limits: new ChangedLimits<TenantLimits>((since, after) => limitsSince(workers, { since, after })),
  };
}

export const foundationTasks = ({ limits, workers }: Foundation): readonly PeriodicTask[] => [
  { everyMs: LIMITS_MS, run: () => limits.refresh() },
  { everyMs: STATISTICS_MS, run: () => refreshStatistics(workers.pool, 'kernel') },
];

@Module({})
export class FoundationModule {
  static with({ tenants, workers, trees }: Foundation): DynamicModule {
    const providers = [provideValue(tenants, TenantPool), provideValue(workers, CrossTenantPool), provideValue(trees)];
    return { module: FoundationModule, providers, exports: providers };
  }
}
