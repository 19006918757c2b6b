// SPDX-License-Identifier: Apache-2.0
// The Python client as users get it: a wheel, installed into an empty environment with what it says that it needs.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment, repositoryRoot } from '@writ/testing';

const run = promisify(execFile);
const folder = join(repositoryRoot(), 'sdk/python');
const lock = join(folder, 'requirements.lock');
/** A few packages take seconds, and a broken registry answers never. */
const INSTALL_MS = 110_000;

/** What makes a wheel; null where Python or its packages can't be had. */
export const wheelBuilder = () => pythonEnvironment('client', lock);

/** An empty folder with a virtual environment that has the package and its dependencies alone. */
export class PythonPackage {
  readonly path = mkdtempSync(join(tmpdir(), 'writ-python-'));
  readonly #python = join(this.path, 'venv/bin/python');

  /** @param builder an interpreter with what makes a wheel */
  static async install(builder: string): Promise<PythonPackage> {
    const made = new PythonPackage();
    await run(builder, ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', made.path], { cwd: folder });
    const [wheel = ''] = readdirSync(made.path).filter((name) => name.endsWith('.whl'));
    await run(builder, ['-m', 'venv', join(made.path, 'venv')], { timeout: INSTALL_MS });
    // The lock only says which versions: what is installed is what the wheel says that it needs.
    const options = ['--quiet', '--only-binary', ':all:', '--disable-pip-version-check', '--no-input'];
    await run(made.#python, ['-m', 'pip', 'install', ...options, '--constraint', lock, join(made.path, wheel)], {
      timeout: INSTALL_MS,
    });
    return made;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Runs a file of the folder, and returns its output. Throws with its errors where it fails. */
  async run(file: string, env: Readonly<Record<string, string>>): Promise<string> {
    const { stdout } = await run(this.#python, ['-I', '-W', 'error', file], {
      cwd: this.path,
      env: { HOME: tmpdir(), PATH: '/usr/bin:/bin', ...env },
      timeout: 90_000,
    });
    return stdout;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
