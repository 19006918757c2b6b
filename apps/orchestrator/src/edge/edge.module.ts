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
  type Outbound,
  type ProcessContext,
} from '@writ/nest-kit';
import { poolSizes, watchPool, WorkerPool, type TaskTable } from '@writ/worker-pool';
import { Identities } from '../store/identities/identities.ts';
import { ApiKeys } from '../store/keys/api-keys.ts';
import { Members } from '../store/members/members.ts';
import { RegisteredLifetime } from '../store/registered-lifetime.ts';
import { AccessLog } from './server/access-log.ts';
import { AccessGuard } from './access/access.guard.ts';
import { allowedMethodsOf } from './problems/allowed-methods.ts';
import { Authenticator } from './access/authenticator.ts';
import { IssuerKeys } from './access/oauth/issuer-keys.ts';
import { IssuerConsent } from './access/oauth/issuer-consent.ts';
import { IdentityHashes, PersonLinks } from './access/oauth/person-links.ts';
import { ProtectedResource } from './access/oauth/protected-resource.ts';
import { NEW_PER_MINUTE_MAX, recordByKernel } from './access/oauth/credentials.ts';
import { TokenCallers } from './access/oauth/token-callers.ts';
import { Callers } from './access/identity/callers.ts';
import { MemberLinks } from './access/identity/member-links.ts';
import { WorkloadCallers } from './access/workloads/workload-callers.ts';
import { MemberSeal } from './access/identity/member-seal.ts';
import { signInProviders } from './access/sign-in/providers.ts';
import { KeySessions } from './access/sign-in/key-sessions.ts';
import { SessionCallers } from './access/sign-in/session-callers.ts';
import { SessionCookie } from './access/sign-in/session-cookie.ts';
import { SignInSessions } from './access/sign-in/sign-in-sessions.ts';
import { EgressGate, resolveByDns } from './outbound/egress-gate.ts';
import { getDocument } from './outbound/get-document.ts';
import { FailedKeys } from './access/failed-keys.ts';
import { FullQueues } from './access/full-queues.ts';
import { KeyUses } from './access/key-uses.ts';
import { EntityTags } from './server/entity-tags.ts';
import { LongResponses } from './server/long-responses.ts';
import { ApiDocument, type DocumentParts } from './openapi/document.ts';
import { ProblemFilter } from './problems/problem.filter.ts';
import { Published } from './published-keys.ts';
import { RateLimit } from './access/rate-limit.ts';
import { CachedTenantLimits } from './access/tenant-limits.ts';
import { WorkerTasks } from './work/worker-tasks.ts';

/** How often uses of keys are stored, in milliseconds: they are noted to the minute. */
const KEY_USES_MS = 60_000;

/** How often changed tenant limits are fetched from the kernel, in milliseconds: the delay until they take effect. */
const LIMITS_MS = 500;

/** The configuration of the API as a whole. */
export interface EdgeConfig {
  readonly WRIT_SHARD: string;
  readonly WRIT_AUTH_FAILURES_PER_MINUTE: number;
  readonly WRIT_RATE_PER_SECOND: number;
  readonly WRIT_RATE_BURST: number;
  readonly WRIT_REQUESTS_MAX: number;
  /** SHA-256 of the platform key */
  readonly platformKeyHash: Buffer;
  readonly published: Published;
  /** absent: access tokens are not accepted */
  readonly WRIT_PUBLIC_URL?: string | undefined;
  readonly WRIT_SESSION_IDLE_MS: number;
  readonly WRIT_SESSION_MAX_MS: number;
  /** whether people may sign in to a browser with an API key */
  readonly WRIT_KEY_SESSIONS: boolean;
  /** issuers that the metadata name */
  readonly authorizationServers: readonly string[];
  /** `host:port` of issuers that may be reached though their address isn't public */
  readonly issuerAllowed: ReadonlySet<string>;
  readonly outbound: Outbound;
  /** the key from which the key of identity hashes is derived */
  readonly webhookKey: Buffer;
}

/** The parts of the API, which the modules above supply. */
export interface ApiParts extends DocumentParts {
  /** the program of the worker threads */
  readonly workers: URL;
}

const monotonic = (): number => performance.now();

/** Provides the tenants' limits and the rate limiter that applies them. */
function limits(config: EdgeConfig, { bus, logger }: ProcessContext): Provider[] {
  const reportStaleLimits = (err: unknown): void =>
    logger.warn({ err }, 'limits could not be fetched from the kernel; the last known ones stay in effect');
  const reportUnended = (err: unknown): void =>
    logger.warn({ err }, 'the keys of a closed tenant could not be revoked; it is tried again');
  return [
    provideBy(CachedTenantLimits, [ApiKeys, RegisteredLifetime], (keys, lifetime) => {
      const set = new CachedTenantLimits(bus, subjectsOf(config.WRIT_SHARD), Date.now);
      lifetime.add(new Repeated(() => set.refresh(), LIMITS_MS, reportStaleLimits));
      const endClosed = (): Promise<void> => set.endClosed((tenantId) => keys.revokeAll(tenantId));
      lifetime.add(new Repeated(endClosed, LIMITS_MS, reportUnended));
      return set;
    }),
    provideBy(RateLimit, [CachedTenantLimits], (set) => {
      const { WRIT_RATE_PER_SECOND: perSecond, WRIT_RATE_BURST: burst } = config;
      return new RateLimit((tenantId) => {
        const of = set.of(tenantId);
        const each = of?.person_requests_per_second ?? null;
        return {
          tenant: { perSecond: of?.requests_per_second ?? perSecond, burst: of?.request_burst ?? burst },
          person: each === null ? null : { perSecond: each, burst: of?.person_request_burst ?? each },
        };
      }, monotonic);
    }),
    provideValue(new FullQueues(monotonic)),
  ];
}

/**
 * Access tokens with too few scopes, or of an issuer that is down, for each invalid key that one address may present:
 * clients meet both without a mistake of theirs, and an office shares an address.
 */
const REFUSED_TOKENS = 10;
/** The documents of an issuer: metadata and keys take a few kibibytes, and a person waits for the answer. */
const ISSUER_DOCUMENT = { bytesMax: 256 * 1024, timeoutMs: 3_000 };

/** Provides the notes of when keys were used, which are written from time to time. */
function keyUses(logger: ProcessContext['logger']): Provider {
  const reportLost = (err: unknown): void => logger.warn({ err }, 'uses of keys are lost');
  return provideBy(KeyUses, [ApiKeys, RegisteredLifetime], (apiKeys, lifetime) => {
    const uses = new KeyUses((ids) => apiKeys.recordUse(ids));
    lifetime.add(new Repeated(() => uses.flush(), KEY_USES_MS, reportLost));
    return uses;
  });
}

/** What the finding of callers by their tokens shares. */
interface TokenParts {
  readonly resource: ProtectedResource;
  readonly hashes: IdentityHashes;
  readonly records: ReturnType<typeof recordByKernel>;
  readonly issuerKeys: IssuerKeys;
}

/** Provides what finds callers by access tokens and by tokens of workloads. */
function tokenCallers({ resource, hashes, records, issuerKeys }: TokenParts): Provider[] {
  return [
    provideBy(Callers, [ApiKeys, Identities, PersonLinks, MemberLinks], (apiKeys, identities, persons, members) => {
      const given = { identities, apiKeys, hashes, persons, members, records };
      return new Callers({ ...given, newPerMinuteMax: NEW_PER_MINUTE_MAX, monotonic });
    }),
    provideBy(WorkloadCallers, [ApiKeys, Identities, MemberLinks, RateLimit], (apiKeys, identities, members, rate) => {
      const given = { identities, apiKeys, hashes, members, records, rate, issuerKeys, audience: resource.url };
      return new WorkloadCallers({ ...given, newPerMinuteMax: NEW_PER_MINUTE_MAX, now: Date.now, monotonic });
    }),
    provideBy(TokenCallers, [Identities, Callers, MemberLinks, RateLimit, WorkloadCallers], (identities, ...more) => {
      const [callers, members, rate, workloads] = more;
      const given = { identities, issuerKeys, resource, hashes, callers, members, rate, workloads };
      return new TokenCallers({ ...given, now: Date.now, monotonic });
    }),
  ];
}

/** Provides what finds callers: keys, access tokens, and the persons behind both. */
function access(config: EdgeConfig, { bus, logger }: ProcessContext): Provider[] {
  const failed = new FailedKeys(config.WRIT_AUTH_FAILURES_PER_MINUTE, monotonic);
  const refused = new FailedKeys(
    config.WRIT_AUTH_FAILURES_PER_MINUTE * REFUSED_TOKENS,
    monotonic,
    'access tokens and sessions that could not be used',
  );
  const gate = new EgressGate(config.issuerAllowed, resolveByDns, config.outbound);
  const keysOfIssuers = () => new IssuerKeys((url) => getDocument(gate, url, ISSUER_DOCUMENT), monotonic);
  const issuerKeys = keysOfIssuers();
  // Issuers that are not registered yet take no place from those that are.
  const unregistered = { issuerKeys: keysOfIssuers(), hashes: new IdentityHashes(config.webhookKey), now: Date.now };
  const [hashes, seal] = [new IdentityHashes(config.webhookKey), new MemberSeal(config.webhookKey)];
  const resource = new ProtectedResource(config.WRIT_PUBLIC_URL ?? null, config.authorizationServers);
  const records = recordByKernel(bus, subjectsOf(config.WRIT_SHARD), Date.now);
  const { issuerAllowed, webhookKey, WRIT_SESSION_IDLE_MS: idleMs, WRIT_SESSION_MAX_MS: maxMs } = config;
  const { WRIT_KEY_SESSIONS: keySessions } = config;
  const shared = { gate, limits: ISSUER_DOCUMENT, issuerKeys, hashes, issuerAllowed, webhookKey, monotonic };
  return [
    ...signInProviders({ ...shared, url: resource.url, records, lifetimes: { idleMs, maxMs }, keySessions }),
    provideValue(resource),
    provideValue(hashes),
    provideBy(PersonLinks, [Identities], (identities) => new PersonLinks(identities, hashes, monotonic)),
    provideBy(
      IssuerConsent,
      [Identities, MemberLinks],
      (identities, members) => new IssuerConsent({ identities, members, ...unregistered }),
    ),
    keyUses(logger),
    provideValue(seal),
    provideBy(MemberLinks, [Members], (members) => new MemberLinks({ members, hashes, seal, monotonic })),
    ...tokenCallers({ resource, hashes, records, issuerKeys }),
    provideBy(
      Authenticator,
      [ApiKeys, KeyUses, PersonLinks, TokenCallers, SignInSessions, SessionCallers, KeySessions],
      (apiKeys, uses, persons, tokens, ...more) => {
        const [sessions, sessionCallers, keySessions] = more;
        const identification = { persons, tokens, sessions, sessionCallers, keySessions, refused };
        return new Authenticator(apiKeys, config.platformKeyHash, monotonic, failed, identification, uses);
      },
    ),
  ];
}

/** Provides worker threads for callers' inputs. None is started yet. */
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

/** Sessions of browsers are accepted where browsers know the URL of this deployment. */
function guardOf({ WRIT_PUBLIC_URL: url }: EdgeConfig): Provider {
  return {
    ...provideBy(
      AccessGuard,
      [Authenticator, RateLimit, FullQueues, ProtectedResource, CachedTenantLimits, SessionCookie],
      (authenticator, rate, queues, resource, tenants, cookie) =>
        new AccessGuard(authenticator, rate, queues, resource, tenants, url === undefined ? null : cookie),
    ),
    provide: APP_GUARD,
  };
}

/** What every resource of the API uses: the server, access control, rate limits, request parsing and problems. */
@Module({})
export class EdgeModule {
  /** @param below the modules before this one */
  static with(config: EdgeConfig, given: ProcessContext, api: ApiParts, below: DynamicModule[]): DynamicModule {
    const { logger, telemetry, readiness } = given;
    const providers = [
      ...limits(config, given),
      ...workers(api.workers, given),
      ...access(config, given),
      provideBy(Published, [RegisteredLifetime], (lifetime) => {
        lifetime.add(followKeys(config.published.parts, { logger, telemetry }));
        return config.published;
      }),
      provideValue(new ApiDocument(VERSION, api)),
      provideValue(new AccessLog(logger, telemetry.meter, config.WRIT_REQUESTS_MAX)),
      provideValue(readiness, Readiness),
    ];
    const global = [
      guardOf(config),
      { provide: APP_FILTER, useValue: new ProblemFilter(logger, allowedMethodsOf(api.routes)) },
      { provide: APP_INTERCEPTOR, useValue: new LongResponses() },
      // After it, so that it sees answers before they are text.
      { provide: APP_INTERCEPTOR, useValue: new EntityTags() },
    ];
    return { module: EdgeModule, imports: below, providers: [...providers, ...global], exports: providers };
  }
}
