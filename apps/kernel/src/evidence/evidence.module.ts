// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { provideValue, type ProcessContext } from '@writ/nest-kit';
import { HpkeBox, allKeys } from '@writ/sealing';
import type { KernelConfig } from '../config.env.ts';
import { databaseNow } from '../foundation/database/database-now.ts';
import type { Foundation } from '../foundation/foundation.module.ts';
import type { PeriodicTask } from '../foundation/periodic-task.ts';
import { BundlesController, SealBundle } from './bundles/index.ts';
import { Changes, ChangesController, RecordChange } from './changes/index.ts';
import {
  BeginErasure,
  EraseBatches,
  KeepHashes,
  TextErasureOrders,
  Erasures,
  ErasuresController,
  RetainContents,
  RetentionRules,
} from './erasures/index.ts';
import { OutboxSender, LogPositionTracker } from './outbox/index.ts';
import { watchSender } from './outbox/sender-watch.ts';
import { TenantVault } from './payload/index.ts';
import { WrappedKeyRows } from './payload/wrapped-key-rows.ts';
import { RecordSealer, SignedSeal } from './records/index.ts';
import { RecordKeys } from './signing-keys/index.ts';
import { KernelKeys } from './signing-keys/kernel-keys.ts';

/** How often the process looks for records that another replica has left behind, in milliseconds. */
const RESEND_MS = 1_000;
/**
 * How often the process looks for events of the keys of records, in milliseconds. It has them in memory unless they
 * changed lately.
 */
const KEY_RECORDS_MS = 2_000;
/**
 * How often the process looks for unfinished erasures, and for tenants with contents that may exceed their age, in ms.
 */
const ERASE_MS = 1_000;
const RETAIN_LOOK_MS = 10_000;
/**
 * How long the content of a call stays after its end where only hashes stay, in milliseconds. In that time its caller
 * reads a result that it didn't wait for.
 */
const HASHES_AFTER_MS = 60_000;

/** The parts that make calls provable, and that seal their contents. */
export interface Evidence {
  readonly keys: KernelKeys;
  readonly sealer: RecordSealer;
  readonly logPositions: LogPositionTracker;
  readonly outbox: OutboxSender;
  readonly changes: Changes;
  readonly vault: TenantVault;
  readonly hpkeBox: HpkeBox;
}

export function evidenceOf(
  config: KernelConfig,
  { telemetry, logger, readiness }: ProcessContext,
  { bus, subjects, tenants, workers, tenancy }: Foundation,
): Evidence {
  const keys = new KernelKeys(config, Date.now());
  readiness.add('signing keys', () => keys.verifyCanSign());
  const sealer = new RecordSealer(new SignedSeal(keys.record));
  const logPositions = new LogPositionTracker(workers);
  const outbox = new OutboxSender(bus, subjects, workers, logPositions, watchSender(telemetry.meter, logger), Date.now);
  return {
    keys,
    sealer,
    logPositions,
    outbox,
    changes: new Changes(tenancy, sealer, outbox),
    vault: new TenantVault(config.masterKeys, new WrappedKeyRows(tenants)),
    hpkeBox: new HpkeBox(...allKeys(config.masterKeys)),
  };
}

export function evidenceTasks(
  { WRIT_RETENTION_MS }: KernelConfig,
  { workers, tenants, report }: Foundation,
  { changes, keys, outbox }: Evidence,
): readonly PeriodicTask[] {
  const erase = new EraseBatches(workers, changes);
  const retain = new RetainContents(workers, tenants, WRIT_RETENTION_MS);
  const hashes = new KeepHashes(workers, tenants, HASHES_AFTER_MS);
  const keyEvents = new RecordKeys(workers, changes, keys, { now: Date.now, report });
  return [
    { everyMs: RESEND_MS, run: () => outbox.resend() },
    { everyMs: ERASE_MS, run: () => erase.run() },
    { everyMs: Math.min(RETAIN_LOOK_MS, WRIT_RETENTION_MS), run: () => retain.run() },
    { everyMs: RETAIN_LOOK_MS, run: () => hashes.run() },
    { everyMs: KEY_RECORDS_MS, run: () => keyEvents.run() },
  ];
}

@Module({})
export class EvidenceModule {
  static with({ tenants, workers, tenancy }: Foundation, evidence: Evidence): DynamicModule {
    const { changes, keys, outbox, sealer, vault } = evidence;
    return {
      module: EvidenceModule,
      controllers: [ChangesController, ErasuresController, BundlesController],
      providers: [
        vault,
        sealer,
        outbox,
        new RecordChange(changes),
        new BeginErasure(tenants, changes),
        new Erasures(tenancy),
        new TextErasureOrders(workers, tenants, changes),
        new RetentionRules(tenancy, changes),
        new SealBundle(keys.record, (tenantId) => databaseNow(tenants, tenantId)),
      ].map((value) => provideValue(value)),
    };
  }
}
