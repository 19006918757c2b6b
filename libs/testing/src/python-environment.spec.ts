// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOlder, pythonEnvironment } from './python-environment.ts';

test.each([
  ['3.9.18', '3.10', true],
  ['3.10.0', '3.10', false],
  ['3.11.7', '3.10', false],
  ['3.11.7', '3.12', true],
  ['4.0.0', '3.12', false],
  ['2.7.18', '3.0', true],
])('Python %s beside the bound %s: older is %s', (version, bound, older) => {
  expect(isOlder(version, bound)).toBe(older);
});

test('there is no environment without the interpreter, and none with an older one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-'));
  const lock = join(folder, 'requirements.lock');
  await writeFile(lock, '');
  expect(await pythonEnvironment('none', lock, { interpreter: 'no-such-python' })).toBeNull();
  expect(await pythonEnvironment('none', lock, { atLeast: '99.0' })).toBeNull();
  await rm(folder, { recursive: true });
});
