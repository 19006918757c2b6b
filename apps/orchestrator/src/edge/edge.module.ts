// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { subjectsOf } from '@writ/contract';
import {
  provideBy,
  provideClass,
  provideValue,
  followKeys,
  Readiness,
  Repeated,
  VERSION,
  type ProcessContext,
} from '@writ/nest-kit';
import { poolSizes, watchPool, WorkerPool, type TaskTable } from '@writ/worker-pool';
import { ApiKeys } from '../store/keys/api-keys.ts';
import { RegisteredLifetime } from '../store/registered-lifetime.ts';
import { AccessLog } from './server/access-log.ts';
import { AccessGuard } from './access/access.guard.ts';
import { allowedMethodsOf } from './problems/allowed-methods.ts';
import { Authenticator } from './access/authenticator.ts';
import { FailedKeys } from './access/failed-keys.ts';
import { FullQueues } from './access/full-queues.ts';
import { LongAnswers } from './server/long-answers.ts';
import { ApiDocument } from './openapi/document.ts';
import type { NamedSchemas } from './openapi/schemas.ts';
import { ProblemFilter } from './problems/problem.filter.ts';
import { Published } from './published-keys.ts';
import { RateLimit } from './access/rate-limit.ts';
import type { RouteRow } from './requests/route.ts';
import { SetLimits } from './access/tenant-limits.ts';
import { WorkerTasks } from './work/worker-tasks.ts';

/** How often the kernel is asked which tenants' limits were set, in milliseconds: what they take to count here. */
const LIMITS_MS = 500;

/** What the configuration says of the API as a whole. */
export interface EdgeConfig {
  readonly WRIT_SHARD: string;
  readonly WRIT_AUTH_FAILURES_PER_MINUTE: number;
  readonly WRIT_RATE_PER_SECOND: number;
  readonly WRIT_RATE_BURST: number;
  readonly WRIT_REQUESTS_MAX: number;
  /** SHA-256 of the platform key */
  readonly platformKeyHash: Buffer;
  readonly published: Published;
}

/** What the API consists of, which the modules above know. */
export interface ApiParts {
  readonly routes: readonly RouteRow[];
  readonly named: NamedSchemas;
  /** the program of the worker threads */
  readonly workers: URL;
}

const monotonic = (): number => performance.now();

/** The limits that tenants were set, and how many requests a tenant may send by them. */
function limits(config: EdgeConfig, { bus, logger }: ProcessContext): Provider[] {
  const unheard = (err: unknown): void =>
    logger.warn({ err }, 'the kernel could not be asked for limits; those known last go on counting');
  return [
    provideBy(SetLimits, [RegisteredLifetime], (lifetime) => {
      const set = new SetLimits(bus, subjectsOf(config.WRIT_SHARD), Date.now);
      lifetime.add(new Repeated(() => set.refresh(), LIMITS_MS, unheard));
      return set;
    }),
    provideBy(RateLimit, [SetLimits], (set) => {
      const { WRIT_RATE_PER_SECOND: perSecond, WRIT_RATE_BURST: burst } = config;
      return new RateLimit((tenantId) => {
        const { requests_per_second, request_burst } = set.of(tenantId) ?? {};
        return { perSecond: requests_per_second ?? perSecond, burst: request_burst ?? burst };
      }, monotonic);
    }),
    provideValue(new FullQueues(monotonic)),
  ];
}

/** Worker threads for what callers send. None is started yet. */
function workers(filename: URL, { telemetry: { meter } }: ProcessContext): Provider[] {
  return [
    provideBy(WorkerPool<TaskTable>, [RegisteredLifetime], (lifetime) => {
      const pool = new WorkerPool<TaskTable>({ ...poolSizes(), filename });
      watchPool(meter, pool);
      lifetime.onClose(() => pool.close());
      return pool;
    }),
    provideClass(WorkerTasks, WorkerPool<TaskTable>),
  ];
}

/** What every resource of the API uses: its server, who may ask, how much, and how requests and problems look. */
@Module({})
export class EdgeModule {
  /** @param below the modules before this one */
  static with(config: EdgeConfig, given: ProcessContext, api: ApiParts, below: DynamicModule[]): DynamicModule {
    const { logger, telemetry, readiness } = given;
    const failed = new FailedKeys(config.WRIT_AUTH_FAILURES_PER_MINUTE, monotonic);
    const providers = [
      ...limits(config, given),
      ...workers(api.workers, given),
      provideBy(Authenticator, [ApiKeys], (keys) => new Authenticator(keys, config.platformKeyHash, monotonic, failed)),
      provideBy(Published, [RegisteredLifetime], (lifetime) => {
        lifetime.add(followKeys(config.published.parts, { logger, telemetry }));
        return config.published;
      }),
      provideValue(new ApiDocument(VERSION, api.routes, api.named)),
      provideValue(new AccessLog(logger, telemetry.meter, config.WRIT_REQUESTS_MAX)),
      provideValue(readiness, Readiness),
    ];
    const global = [
      { ...provideClass(AccessGuard, Authenticator, RateLimit, FullQueues), provide: APP_GUARD },
      { provide: APP_FILTER, useValue: new ProblemFilter(logger, allowedMethodsOf(api.routes)) },
      { provide: APP_INTERCEPTOR, useValue: new LongAnswers() },
    ];
    return { module: EdgeModule, imports: below, providers: [...providers, ...global], exports: providers };
  }
}
