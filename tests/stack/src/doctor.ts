// SPDX-License-Identifier: Apache-2.0
// `writ doctor` as built, as an operator runs it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryRoot } from '@writ/testing';
import type { JsonValue } from './api.ts';
import type { SharedStack } from './stack.ts';

export interface DoctorRun {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
  /** the file of the report; null where none was written */
  readonly file: JsonValue;
  /** ids of the checks that failed, in the order of the report, and of those that were not made with a `?` */
  readonly failed: readonly string[];
}

const NEVER = new Promise<never>(() => undefined);

/** A folder of an operator, with what the doctor keeps between two runs. */
export class Operator {
  readonly folder = mkdtempSync(join(tmpdir(), 'writ-operator-'));
  readonly #keys: Pick<SharedStack['keys'], 'platformKey' | 'publicKeysFile'>;

  constructor(keys: Pick<SharedStack['keys'], 'platformKey' | 'publicKeysFile'>) {
    this.#keys = keys;
  }

  /** The path of a file of the operator. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs `writ doctor` against an address, with the keys of the deployment. */
  async examine(
    url: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    timing: { readonly interruptAt?: Promise<unknown> } = {},
  ): Promise<DoctorRun> {
    rmSync(this.path('report.json'), { force: true });
    const given = ['--keys', this.#keys.publicKeysFile, '--report', this.path('report.json')];
    const connection = { WRIT_URL: url, WRIT_API_KEY: this.#keys.platformKey };
    const ran = await this.writ(['doctor', ...given, ...args], { ...env, ...connection }, timing);
    let file: JsonValue = null;
    try {
      file = JSON.parse(readFileSync(this.path('report.json'), 'utf8'));
    } catch {
      // The run ended before there was a report.
    }
    return { ...ran, file, failed: failedIn(file) };
  }

  /** Runs the built program in the operator's folder. */
  async writ(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { interruptAt = NEVER }: { readonly interruptAt?: Promise<unknown> } = {},
  ): Promise<Pick<DoctorRun, 'exit' | 'out' | 'err'>> {
    const main = join(repositoryRoot(), 'apps/cli/dist/main.js');
    const child = spawn(process.execPath, [main, ...args], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', HOME: this.folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => {
      child.on('close', resolve);
    });
    void interruptAt.then(() => child.kill('SIGINT'));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { exit: await ended, out, err };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const failedIn = (file: JsonValue): string[] =>
  ((file?.report.checks ?? []) as { id: string; verdict: string; made: boolean }[])
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, made }) => (made ? id : `${id}?`));
