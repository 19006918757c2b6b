// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';

/** The program of the mail server of tests, installed where it is missing; or why it can't be had. */
export async function mailProgram(): Promise<{ program: string } | string> {
  if (process.getuid?.() !== 0) return 'root alone can serve the mail of somebody else';
  const state = defaultStateDir(process.env);
  const setup = makeSetup(state, join(state, 'cache'), process.env, () => undefined);
  try {
    const program = await ensureProgram(setup, 'dovecot', ['dovecot-imapd'], 'to test mailboxes');
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' });
    return version.startsWith('2.3.') ? { program } : `it is configured for Dovecot 2.3, and not for ${version.trim()}`;
  } catch (error) {
    if (error instanceof SetupError) return error.message;
    throw error;
  }
}
