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

/** The ledger logs a record within milliseconds; after this long something is wrong. */
const LOGGED_MS = 30_000;
const RETRY_MS = 100;

/** The phases of which an operation has a record. */
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

/** Fetches every receipt of the operations into `dir`, byte for byte as the API gives them. */
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

/** A genuine receipt of another call proves nothing of this one. */
const isOfThis = (receipt: ReceiptFile, { record }: FileVerdict): boolean =>
  record?.operation_id === receipt.operationId && record.phase === receipt.phase;

/** Verifies the files in a process of its own, which has the public keys and knows of no server. */
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
