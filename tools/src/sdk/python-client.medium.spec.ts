// SPDX-License-Identifier: Apache-2.0
// The tests of the Python client, with the vectors that it shares with the one of TypeScript. Skipped by name where
// Python 3.10 or its packages can't be had.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment } from '@writ/testing';
import { checkout } from '../setup.ts';

const folder = join(checkout, 'sdk/python');
const environment = await pythonEnvironment('client', join(folder, 'requirements.lock'));

describe.skipIf(environment === null)('the Python client (skipped without Python 3.10, venv and pip)', () => {
  test('passes its tests, and the vectors that all clients share', async () => {
    const options = ['--quiet', '--color=no', '-p', 'no:cacheprovider'];
    const { stdout } = await promisify(execFile)(environment!.python, ['-B', '-m', 'pytest', ...options], {
      cwd: folder,
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    expect(stdout).toMatch(/^\d{3} passed in/m);
  });
});
