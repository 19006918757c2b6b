// SPDX-License-Identifier: Apache-2.0
// The tests of the Python client, with the vectors that it shares with the one of TypeScript, and those of its adapter.
// Skipped by name where Python or the packages can't be had.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment } from '@writ/testing';
import { checkout } from '../setup.ts';

const folder = join(checkout, 'sdk/python');
const environment = await pythonEnvironment('client', join(folder, 'requirements.lock'));
const frameworks = await pythonEnvironment('pydantic-ai', join(folder, 'requirements-pydantic-ai.lock'), {
  atLeast: '3.11',
});

/** What pytest prints. Throws with it where a test fails. */
async function pytest(python: string, ...files: string[]): Promise<string> {
  const options = ['--quiet', '--color=no', '-p', 'no:cacheprovider', ...files];
  const { stdout } = await promisify(execFile)(python, ['-B', '-m', 'pytest', ...options], { cwd: folder }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    },
  );
  return stdout;
}

describe.skipIf(environment === null)('the Python client (skipped without Python 3.10, venv and pip)', () => {
  test('passes its tests, and the vectors that all clients share', async () => {
    expect(await pytest(environment!.python)).toMatch(/^\d{3} passed in/m);
  });
});

describe.skipIf(frameworks === null)(
  'the adapter of Pydantic AI (skipped without Python 3.11 and its packages)',
  () => {
    test('passes its tests, with the real agent of the framework', async () => {
      expect(await pytest(frameworks!.python, 'tests/test_pydantic_ai.py')).toMatch(/^\d{2} passed in/m);
    });
  },
);
