// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OperationView } from '@writ/contract';
import { ApiProblem, type Api } from './api.ts';
import { verifyFiles, type FileVerdict } from './verify.ts';

export interface ReceiptFile {
  readonly operationId: string;
  readonly phase: 'decision' | 'outcome';
  /** Null when the API never had it. */
  readonly path: string | null;
}

export interface CheckedReceipt {
  readonly receipt: ReceiptFile;
  readonly isVerified: boolean;
  readonly finding: string;
}

/** The ledger logs a record within milliseconds; after this time something is wrong. */
const LOGGED_MS = 30_000;
const RETRY_MS = 100;

/** The phases for which an operation has a record. */
const phasesOf = ({ outcome_record_id }: OperationView): ReceiptFile['phase'][] =>
  outcome_record_id === null ? ['decision'] : ['decision', 'outcome'];

async function fetchReceipt(api: Api, operationId: string, phase: string): Promise<Uint8Array | null> {
  const until = performance.now() + LOGGED_MS;
  for (;;) {
    try {
      return await (await api.ask(`/v1/operations/${operationId}/receipt?phase=${phase}`)).bytes();
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'receipt.pending' || performance.now() > until) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Saves every receipt of the operations in `dir`, with the API's exact bytes. */
export async function fetchReceipts(
  api: Api,
  operations: readonly OperationView[],
  dir: string,
): Promise<ReceiptFile[]> {
  mkdirSync(dir, { recursive: true });
  const wanted = operations.flatMap((operation) =>
    phasesOf(operation).map((phase) => ({ operationId: operation.operation_id, phase })),
  );
  return Promise.all(
    wanted.map(async ({ operationId, phase }) => {
      const path = join(dir, `${operationId}.${phase}.json`);
      const bytes = await fetchReceipt(api, operationId, phase).catch(() => null);
      if (bytes === null) return { operationId, phase, path: null };
      writeFileSync(path, bytes);
      return { operationId, phase, path };
    }),
  );
}

/** A valid receipt of another call proves nothing about this one. */
const isOfThis = (receipt: ReceiptFile, { record }: FileVerdict): boolean =>
  record?.operation_id === receipt.operationId && record.phase === receipt.phase;

/** Verifies the files in a separate process, which has the public keys and no server's address. */
export async function checkReceipts(receipts: readonly ReceiptFile[], keysFile: string): Promise<CheckedReceipt[]> {
  const verdicts = await verifyFiles(
    receipts.flatMap(({ path }) => (path === null ? [] : [path])),
    keysFile,
  );
  return receipts.map((receipt) => {
    const verdict = verdicts.find(({ file }) => file === receipt.path);
    if (verdict === undefined) return { receipt, isVerified: false, finding: 'not fetched' };
    if (verdict.failed !== null)
      return { receipt, isVerified: false, finding: `${verdict.failed.check}: ${verdict.failed.message}` };
    return isOfThis(receipt, verdict)
      ? { receipt, isVerified: true, finding: 'verified' }
      : { receipt, isVerified: false, finding: 'genuine, but of another operation or phase' };
  });
}
