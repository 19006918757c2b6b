// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKeySet, verifyReceiptFile, type VerifiedReceipt } from '@writ/receipt';
import { repositoryRoot } from '@writ/testing';
import type { Observer } from './observer.ts';
import type { SharedStack } from './stack.ts';
import { eventually, type World } from './world.ts';

/** The inputs of the independent checker. */
export interface Checked {
  readonly database: Pick<SharedStack['database'], 'ownerUrl'>;
  readonly keys: Pick<SharedStack['keys'], 'publicKeysFile'>;
  /** The memory file of the ledger; absent where it can't be read. */
  readonly memoryFile?: string;
}

/** Runs the independent checker as a separate process. */
export function fsck(stack: Checked): { readonly status: number | null; readonly output: string } {
  const program = join(repositoryRoot(), 'tools', 'src', 'fsck', 'main.ts');
  const reported = stack.memoryFile !== undefined && existsSync(stack.memoryFile) ? ['--signed', stack.memoryFile] : [];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=@writ/source',
      program,
      '--database',
      stack.database.ownerUrl,
      '--keys',
      stack.keys.publicKeysFile,
      ...reported,
    ],
    { encoding: 'utf8' },
  );
  return { status, output: `${stdout}${stderr}` };
}

export function expectCleanLog(stack: SharedStack): void {
  const { status, output } = fsck(stack);
  if (status !== 0) throw new Error(`the log is not as it should be:\n${output}`);
}

/**
 * Fetches the operation's receipt, waiting while it is pending, and verifies it offline with only the two public keys.
 */
export async function verifiedReceipt(
  stack: Pick<Checked, 'keys'>,
  world: World,
  operationId: string,
  phase?: 'decision' | 'outcome' | 'resolution',
): Promise<VerifiedReceipt> {
  const { text } = await eventually(`the receipt of ${operationId}`, async () => {
    const answer = await world.admin.get(
      `/v1/operations/${operationId}/receipt${phase === undefined ? '' : `?phase=${phase}`}`,
    );
    return answer.status === 200 ? answer : null;
  });
  return verifyReceiptFile(text, parseKeySet(readFileSync(stack.keys.publicKeysFile)), { operationId });
}

/**
 * The invariants after every fault. The operation ended once and its outcome is recorded once. Every record is in a log
 * that the independent checker rebuilds from raw rows. Nothing waits.
 */
export async function expectConsistent(
  stack: SharedStack,
  world: World,
  observer: Observer,
  operationId: string,
  expected: { tx_outcome: string; attempt?: number },
): Promise<void> {
  const operation = await world.until(operationId, ['committed', 'rolled_back', 'no_op', 'ambiguous', 'refused']);
  const { tx_outcome } = operation.result as { tx_outcome: string };
  const attempt = expected.attempt === undefined ? {} : { attempt: operation.attempt as number };
  await observer.untilLogged();
  const outcomes = await observer.outcomes(operationId);
  const twice = await observer.rows('SELECT record_id FROM ledger.leaf GROUP BY log_id, record_id HAVING count(*) > 1');
  expect({ tx_outcome, ...attempt, outcomes, twice }).toEqual({ ...expected, outcomes: 1, twice: [] });
  await verifiedReceipt(stack, world, operationId);
  expectCleanLog(stack);
}
