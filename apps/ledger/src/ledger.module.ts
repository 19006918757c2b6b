// SPDX-License-Identifier: Apache-2.0
import { Module, type DynamicModule } from '@nestjs/common';
import { subjectsOf, type LoggedEvent, type Subjects } from '@writ/contract';
import { createPool, refreshStatistics, STATISTICS_MS, verifyDurability, type Pool } from '@writ/database';
import { LiveSigner } from '@writ/signing';
import { followKeys, Lifetime, named, Repeated, type ProcessContext } from '@writ/nest-kit';
import { ConnectionWatch } from '@writ/telemetry';
import { AppendController } from './append/append.controller.ts';
import { Append } from './append/append.ts';
import { RecordVerifier } from './append/record-verifier.ts';
import { requestOverHttp } from './witnesses/request-cosignature.ts';
import { Cosigner, type CosignerHooks } from './witnesses/cosigner.ts';
import { CheckpointController } from './log/checkpoint.controller.ts';
import type { LedgerConfig } from './config.env.ts';
import { DueLogs, Indexer } from './record-index/indexer.ts';
import { ExportPages } from './log/export-pages.ts';
import { InclusionProofs } from './log/inclusion-proofs.ts';
import { LogReader } from './log/log-reader.ts';
import { LogStore } from './log/log-store.ts';
import { QueryController } from './record-index/query.controller.ts';
import { RecordReader } from './record-index/record-reader.ts';
import { ReadController } from './log/read.controller.ts';
import { ReceiptController } from './log/receipt.controller.ts';
import { Receipts } from './log/receipts.ts';
import { IndexStore } from './record-index/index-store.ts';
import { SignedLog } from './log/signed-log.ts';
import { Checkpoints, NO_WITNESSES, type Witnessing } from './signing/checkpoints.ts';
import { Cosignatures } from './signing/cosignatures.ts';
import { SignedMemory } from './signing/signed-memory.ts';
import { LoggedEvents } from './append/logged-events.ts';
import { watchAppends, watchProgress, watchWitnesses } from './foundation/ledger-watch.ts';

@Module({})
export class LedgerModule {
  static with(config: LedgerConfig, context: ProcessContext): DynamicModule {
    const { bus, readiness, logger, telemetry } = context;
    const pool = openPool(config, context);
    const memory = named('WRIT_LEDGER_MEMORY_FILE', () => new SignedMemory(config.WRIT_LEDGER_MEMORY_FILE));
    const { signer, follow } = openKeys(config, context);
    const { due, unindexed } = unfinishedLogs(memory);
    const events = loggedEventsOf(bus, subjectsOf(config.WRIT_SHARD), logger);
    const witnessing = witnessingOf(config, context, { due, unindexed, events });
    const checkpoints = new Checkpoints(
      pool,
      memory,
      { name: config.WRIT_DEPLOYMENT, signer },
      (err) => logger.warn({ err }, 'a checkpoint was not stored'),
      witnessing,
    );
    const log = new SignedLog(pool, checkpoints);
    const reader = new LogReader(log, new InclusionProofs(pool, memory, witnessing.quorum));
    const background = [
      cosignerOf(config, context, { due, pool, reader }),
      config.WRIT_RECORD_INDEX === 'off' ? null : indexerOf(unindexed, pool, logger),
      statisticsOf(pool, logger),
    ].filter((each) => each !== null);
    for (const each of background) each.start();
    readiness.add('database', () => verifyDurability(pool));
    return {
      module: LedgerModule,
      controllers: [AppendController, ReceiptController, CheckpointController, ReadController, QueryController],
      providers: [
        {
          provide: Append,
          useValue: new Append(
            new LogStore(pool, memory),
            checkpoints,
            new RecordVerifier(config.recordKeys.byKeyid, Date.now),
            watchAppends(telemetry.meter),
          ),
        },
        { provide: LogReader, useValue: reader },
        {
          provide: RecordReader,
          useValue: new RecordReader(log, (tenant) => {
            unindexed.add([tenant]);
          }),
        },
        { provide: ExportPages, useValue: new ExportPages(log, checkpoints) },
        { provide: Receipts, useValue: new Receipts(log) },
        { provide: Lifetime, useValue: lifetimeOf([...background, events], follow, pool, memory) },
      ],
    };
  }
}

/**
 * Watches the key files while the process runs. At shutdown it stops background work, then closes pool and memory file.
 */
const lifetimeOf = (
  background: readonly { stop(): Promise<void> }[],
  follow: Repeated,
  pool: Pool,
  memory: SignedMemory,
): Lifetime =>
  new Lifetime({
    workers: [follow],
    drain: async (stopWorkers) => {
      await stopWorkers();
      await Promise.all(background.map((each) => each.stop()));
      await pool.end();
      await memory.close();
    },
  });

const openPool = (config: LedgerConfig, { logger, telemetry }: ProcessContext): Pool =>
  new ConnectionWatch(telemetry.meter).pool('ledger', (onWait) =>
    createPool({
      url: config.WRIT_LEDGER_DATABASE_URL,
      applicationName: 'writ-ledger',
      onWait,
      onIdleError: (err) => logger.warn({ err }, 'a database connection died'),
    }),
  );

/** The signer of checkpoints, and the watcher that reloads changed key files. */
function openKeys(
  { checkpointKeys, recordKeys }: LedgerConfig,
  { logger, telemetry }: ProcessContext,
): { readonly signer: LiveSigner; readonly follow: Repeated } {
  const signer = new LiveSigner('checkpoint', checkpointKeys, Date.now());
  const follow = followKeys(
    [
      { what: 'checkpoint keys', keys: checkpointKeys },
      { what: 'public record keys', keys: recordKeys },
    ],
    { logger, telemetry },
    (now) => signer.switchKey(now),
  );
  return { signer, follow };
}

/** A ledger that died may have left any log without cosignatures or index. */
function unfinishedLogs(memory: SignedMemory): { readonly due: Set<string>; readonly unindexed: DueLogs } {
  const due = new Set(memory.tenants());
  const unindexed = new DueLogs();
  unindexed.add(memory.tenants());
  return { due, unindexed };
}

/** Notifies the indexer, the cosigner and subscribers of each stored checkpoint, and measures its age. */
function witnessingOf(
  { witnesses, WRIT_WITNESS_QUORUM: quorum }: LedgerConfig,
  { telemetry }: ProcessContext,
  { due, unindexed, events }: { due: Set<string>; unindexed: DueLogs; events: LoggedEvents },
): Witnessing {
  let signedAt = performance.now();
  watchProgress(telemetry.meter, { signedAt: () => signedAt, unindexed });
  return {
    quorum: witnesses.length === 0 ? NO_WITNESSES.quorum : quorum,
    onStored: (tenants: readonly string[]) => {
      signedAt = performance.now();
      unindexed.add(tenants);
      if (witnesses.length > 0) for (const tenant of tenants) due.add(tenant);
      events.notify(tenants);
    },
  };
}

/** Null where no witnesses are configured. */
const cosignerOf = (
  { witnesses }: LedgerConfig,
  { logger, telemetry }: ProcessContext,
  { due, pool, reader }: { due: Set<string>; pool: Pool; reader: LogReader },
): Cosigner | null =>
  witnesses.length === 0
    ? null
    : new Cosigner(due, {
        witnesses,
        store: new Cosignatures(pool),
        reader,
        requestCosignature: requestOverHttp,
        hooks: { ...hooksOf(logger), onAnswer: watchWitnesses(telemetry.meter) },
      });

const indexerOf = (unindexed: DueLogs, pool: Pool, logger: ProcessContext['logger']): Indexer =>
  new Indexer(unindexed, new IndexStore(pool), (err) => {
    logger.warn({ err }, 'records were not indexed: searches find them later');
  });

/** Keeps the planner's statistics of the ledger's tables fresh. */
const statisticsOf = (pool: Pool, logger: ProcessContext['logger']): Repeated =>
  new Repeated(
    () => refreshStatistics(pool, 'ledger'),
    STATISTICS_MS,
    (err) => {
      logger.warn({ err }, 'statistics of tables were not gathered');
    },
  );

const loggedEventsOf = (
  bus: ProcessContext['bus'],
  subjects: Subjects,
  logger: ProcessContext['logger'],
): LoggedEvents =>
  new LoggedEvents(
    (tenant_id) => {
      bus.publish(subjects.event('logged', tenant_id), { v: 1, tenant_id } satisfies LoggedEvent);
    },
    (err) => {
      logger.debug({ err }, 'subscribers of logs were not notified: they will poll');
    },
  );

const hooksOf = (logger: ProcessContext['logger']): CosignerHooks => ({
  onWitness: (witness, why) => {
    if (why === null) logger.info({ witness }, 'a witness cosigns again');
    else logger.warn({ witness, why }, 'a witness does not cosign: receipts lack its signature until it does');
  },
  onFork: (witness, log, tree_size) => {
    logger.error(
      { witness, log, tree_size },
      'a witness saw another root of this log at this size: two ledgers sign with one key, or one signed two histories; ask the witness for its evidence',
    );
  },
  onError: (err) => {
    logger.warn({ err }, 'a round of cosignatures failed');
  },
});
