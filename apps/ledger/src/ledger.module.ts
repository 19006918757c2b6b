// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Module, type DynamicModule } from '@nestjs/common';
import { createPool, verifyDurability } from '@writ/database';
import { readSecretFile, type Given } from '@writ/nest-kit';
import { parseSigner, parseVerifier } from '@writ/signing';
import { AppendController } from './append/append.controller.ts';
import { Append } from './append/append.ts';
import { RecordVerifier } from './append/record-verifier.ts';
import { CheckpointController } from './checkpoint/checkpoint.controller.ts';
import type { LedgerConfig } from './config.env.ts';
import { LogReader } from './log/log-reader.ts';
import { LogStore } from './log/log-store.ts';
import { ReadController } from './read/read.controller.ts';
import { ReceiptController } from './receipt/receipt.controller.ts';
import { Receipts } from './log/receipts.ts';
import { SignedLog } from './log/signed-log.ts';
import { Checkpoints } from './sign/checkpoints.ts';
import { SignedMemory } from './sign/signed-memory.ts';
import { Lifetime } from './support/lifetime.ts';

@Module({})
export class LedgerModule {
  static with(config: LedgerConfig, { readiness, logger }: Given): DynamicModule {
    const pool = createPool({ url: config.WRIT_LEDGER_DATABASE_URL, applicationName: 'writ-ledger', onIdleError: (err) => logger.warn({ err }, 'a database connection died') });
    const memory = new SignedMemory(config.WRIT_LEDGER_MEMORY_FILE);
    const signer = parseSigner(readSecretFile('WRIT_CHECKPOINT_KEY_FILE', config.WRIT_CHECKPOINT_KEY_FILE));
    const checkpoints = new Checkpoints(pool, memory, { name: config.WRIT_DEPLOYMENT, signer }, (err) => logger.warn({ err }, 'a checkpoint was not stored'));
    const log = new SignedLog(pool, checkpoints);
    const { keys } = JSON.parse(readFileSync(config.WRIT_RECORD_PUBLIC_KEYS_FILE, 'utf8')) as { keys: { jwk: unknown }[] };
    const verifiers = new Map(keys.map(({ jwk }) => parseVerifier(jwk)).map((verifier) => [verifier.keyid, verifier]));
    readiness.add('database', () => verifyDurability(pool));
    return {
      module: LedgerModule,
      controllers: [AppendController, ReceiptController, CheckpointController, ReadController],
      providers: [
        { provide: Append, useValue: new Append(new LogStore(pool, memory), checkpoints, new RecordVerifier(verifiers)) },
        { provide: LogReader, useValue: new LogReader(log) },
        { provide: Receipts, useValue: new Receipts(log) },
        { provide: Lifetime, useValue: new Lifetime(pool, memory) },
      ],
    };
  }
}
