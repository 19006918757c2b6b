// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { AudioIngest } from '@writ/audio';
import { pgAudioIngest } from '@writ/audio-pg';
import { BlobStore, cachedBlobs } from '@writ/blobs';
import { pgBlobs } from '@writ/blobs-pg';
import { createPool, refreshStatistics, STATISTICS_MS, verifyDurability, type Pool } from '@writ/database';
import { provideValue, Repeated, type ProcessContext } from '@writ/nest-kit';
import { ConnectionWatch } from '@writ/telemetry';
import { ChannelMessages } from './channels/channel-messages.ts';
import { Channels } from './channels/channels.ts';
import { PgChannelMessages } from './channels/pg-channel-messages.ts';
import { PgChannels } from './channels/pg-channels.ts';
import { BrowserSessions } from './identities/browser-sessions.ts';
import { Identities } from './identities/identities.ts';
import { PgBrowserSessions } from './identities/pg-browser-sessions.ts';
import { PgIdentities } from './identities/pg-identities.ts';
import { Jobs, JobWork } from './jobs/jobs.ts';
import { PgJobWork } from './jobs/pg-job-work.ts';
import { PgJobs } from './jobs/pg-jobs.ts';
import { ApiKeys } from './keys/api-keys.ts';
import { PrismaApiKeys } from './keys/prisma-api-keys.ts';
import { Invitations } from './members/invitations.ts';
import { Members } from './members/members.ts';
import { Offboardings } from './members/offboardings.ts';
import { PgInvitations } from './members/pg-invitations.ts';
import { PgOffboardings } from './members/pg-offboardings.ts';
import { PgMembers } from './members/pg-members.ts';
import { PgSuspensions } from './members/pg-suspensions.ts';
import { Suspensions } from './members/suspensions.ts';
import { RegisteredLifetime } from './registered-lifetime.ts';
import { RUNS_MAX, SESSIONS_MAX, UNENDED_MAX } from './session-rows/bounds.ts';
import { PgRunWork } from './session-rows/pg-run-work.ts';
import { PgSessionTexts } from './session-rows/pg-session-texts.ts';
import { PgSessions } from './session-rows/pg-sessions.ts';
import { SessionTexts } from './session-rows/session-texts.ts';
import { DeviceAuthorizations } from './sign-ins/device-authorizations.ts';
import { PgDeviceAuthorizations } from './sign-ins/pg-device-authorizations.ts';
import { PgSignIns } from './sign-ins/pg-sign-ins.ts';
import { SignIns } from './sign-ins/sign-ins.ts';
import { SessionSeal } from './session-rows/session-seal.ts';
import { RunWork, Sessions } from './session-rows/sessions.ts';
import { watchWaiting } from './waiting-gauges.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { PgDeliveries } from './webhooks/pg-deliveries.ts';
import { PgWebhooks } from './webhooks/pg-webhooks.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** Cache of directory nodes and small files that are read often. */
const BLOB_CACHE_BYTES = 32 * 1024 * 1024;

/** How often sign-in sessions that are over are deleted, in milliseconds. */
const SIGN_INS_OVER_MS = 60_000;

/** The configuration of the store. */
export interface StoreConfig {
  readonly WRIT_ORCHESTRATOR_DATABASE_URL: string;
  /** the key from which the key that encrypts sessions is derived */
  readonly webhookKey: Buffer;
}

/** The stores of this process. */
export interface Stores {
  readonly keys: ApiKeys;
  readonly identities: Identities;
  readonly members: Members;
  readonly offboardings: Offboardings;
  readonly suspensions: Suspensions;
  readonly invitations: Invitations;
  readonly browserSessions: BrowserSessions;
  readonly signIns: SignIns;
  readonly deviceAuthorizations: DeviceAuthorizations;
  readonly blobs: BlobStore;
  readonly audio: AudioIngest;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly channels: Channels;
  readonly channelMessages: ChannelMessages;
  readonly sessions: Sessions;
  readonly runWork: RunWork;
  readonly sessionTexts: SessionTexts;
  readonly jobs: Jobs;
  readonly jobWork: JobWork;
  readonly close: () => Promise<void>;
}

/** All stores in Postgres. */
function openStores(config: StoreConfig, { logger, readiness, telemetry: { meter } }: ProcessContext): Stores {
  const pool = new ConnectionWatch(meter).pool('orchestrator', (onWait) =>
    createPool({
      url: config.WRIT_ORCHESTRATOR_DATABASE_URL,
      applicationName: 'writ-orchestrator',
      onWait,
      onIdleError: (err) => logger.warn({ err }, 'a database connection died'),
    }),
  );
  watchWaiting(meter, pool);
  readiness.add('database', () => verifyDurability(pool));
  const signIns = new PgSignIns(pool);
  const upkeep = upkeepOf(pool, signIns, logger);
  for (const each of upkeep) each.start();
  const keys = new PrismaApiKeys(pool);
  const close = async (): Promise<void> => {
    for (const each of upkeep) await each.stop();
    await keys.close();
    await pool.end();
  };
  const seal = new SessionSeal(config.webhookKey);
  return {
    keys,
    identities: new PgIdentities(pool),
    members: new PgMembers(pool),
    offboardings: new PgOffboardings(pool),
    suspensions: new PgSuspensions(pool),
    invitations: new PgInvitations(pool),
    browserSessions: new PgBrowserSessions(pool),
    signIns,
    deviceAuthorizations: new PgDeviceAuthorizations(pool),
    blobs: pgBlobs(pool),
    audio: pgAudioIngest(pool),
    webhooks: new PgWebhooks(pool),
    deliveries: new PgDeliveries(pool),
    channels: new PgChannels(pool),
    channelMessages: new PgChannelMessages(pool),
    sessions: new PgSessions(pool, seal),
    runWork: new PgRunWork(pool, seal),
    sessionTexts: new PgSessionTexts(pool, seal),
    jobs: new PgJobs(pool, seal),
    jobWork: new PgJobWork(pool, seal, { sessionsMax: SESSIONS_MAX, runsMax: RUNS_MAX, unendedMax: UNENDED_MAX }),
    close,
  };
}

/** What is done for the database from time to time. */
function upkeepOf(pool: Pool, signIns: SignIns, logger: ProcessContext['logger']): Repeated[] {
  const warn = (message: string) => (err: unknown) => logger.warn({ err }, message);
  return [
    new Repeated(
      () => refreshStatistics(pool, 'orchestrator'),
      STATISTICS_MS,
      warn('statistics of tables were not gathered'),
    ),
    new Repeated(() => signIns.prune(), SIGN_INS_OVER_MS, warn('sign-in sessions that are over were not deleted')),
  ];
}

/** Provides rows and blobs through the ports that all other modules use. */
@Module({})
export class StoreModule {
  static with(config: StoreConfig, given: ProcessContext, stores: Stores = openStores(config, given)): DynamicModule {
    const lifetime = new RegisteredLifetime();
    lifetime.onClose(stores.close);
    const providers = [
      provideValue(lifetime),
      provideValue(stores.keys, ApiKeys),
      provideValue(stores.identities, Identities),
      provideValue(stores.members, Members),
      provideValue(stores.offboardings, Offboardings),
      provideValue(stores.suspensions, Suspensions),
      provideValue(stores.invitations, Invitations),
      provideValue(stores.browserSessions, BrowserSessions),
      provideValue(stores.signIns, SignIns),
      provideValue(stores.deviceAuthorizations, DeviceAuthorizations),
      provideValue(cachedBlobs(stores.blobs, { bytesMax: BLOB_CACHE_BYTES }), BlobStore),
      provideValue(stores.audio, AudioIngest),
      provideValue(stores.webhooks, Webhooks),
      provideValue(stores.deliveries, Deliveries),
      provideValue(stores.channels, Channels),
      provideValue(stores.channelMessages, ChannelMessages),
      provideValue(stores.sessions, Sessions),
      provideValue(stores.runWork, RunWork),
      provideValue(stores.sessionTexts, SessionTexts),
      provideValue(stores.jobs, Jobs),
      provideValue(stores.jobWork, JobWork),
    ];
    return { module: StoreModule, providers, exports: providers };
  }
}
