// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { parseMessage } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { checkout } from '../setup.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);

/** The result of `writ verify --json` for one file. */
export const FileVerdict = Type.Object({
  file: Type.String(),
  failed: Type.Union([Type.Object({ check: Type.String(), message: Type.String() }), Type.Null()]),
  record: Type.Union([Type.Object({ operation_id: OrNull, phase: OrNull }), Type.Null()]),
});
export type FileVerdict = Static<typeof FileVerdict>;

const Verdicts = Type.Object({ receipts: Type.Array(FileVerdict) });

const PROGRAM = join(checkout, 'apps', 'cli', 'bin', 'writ.mjs');

/**
 * Runs `writ verify` on the files. Its environment has no server's address and no secret key, only the public keys.
 *
 * @throws Error for unreadable output; a receipt that fails is no error
 */
export async function verifyFiles(files: readonly string[], keysFile: string): Promise<FileVerdict[]> {
  if (files.length === 0) return [];
  const child = spawn(process.execPath, [PROGRAM, 'verify', '--json', '--keys', keysFile, ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [out, complaint, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status !== 0 && status !== 1) throw new Error(`\`writ verify\` ended with status ${status}: ${complaint.trim()}`);
  return parseMessage(Verdicts, JSON.parse(out)).receipts;
}
