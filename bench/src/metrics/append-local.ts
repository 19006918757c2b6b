// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@writ/testing';
import type { Metric } from '../measure.ts';
import { REQUEST_RECORDS } from './appends.ts';
import { runProgram } from './programs.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** Requests in flight: one is prepared while one is written and one is signed. */
const SENDERS = 3;

/**
 * Full requests, directly to the ledger's append, with every signature treated as verified: no bus, and no Ed25519
 * except for checkpoints.
 */
export async function appendsLocal({ seconds }: { readonly seconds: number }): Promise<Measured> {
  const database = await testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'writ-bench-'));
  try {
    const { measured, cpuUs } = await runProgram<{ measured: Measured; cpuUs: number }>('append-local', [
      JSON.stringify({
        url: database.urlFor('writ_ledger'),
        memory: join(folder, 'signed'),
        senders: SENDERS,
        records: REQUEST_RECORDS,
        seconds,
      }),
    ]);
    console.log(`  processor time a record: ledger ${Math.round(cpuUs)} µs`);
    return { ...measured, n: measured.n * REQUEST_RECORDS, rate: (measured.rate ?? 0) * REQUEST_RECORDS };
  } finally {
    await database.drop();
    rmSync(folder, { recursive: true });
  }
}
