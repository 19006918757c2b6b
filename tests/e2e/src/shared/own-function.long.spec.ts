// SPDX-License-Identifier: Apache-2.0
// The part of Python of docs/tutorials/own-function.md, as printed. It makes a virtual environment and installs the
// client with what it needs, which takes longer than the rest of the page. Skipped by name where Python 3.10 or its
// packages can't be had.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { sharedStack } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { wheelBuilder } from '../python-package.ts';
import { Tutorial } from '../tutorial.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const page = readFileSync(join(repositoryRoot(), 'docs/tutorials/own-function.md'), 'utf8');
const builder = await wheelBuilder();

describe.skipIf(builder === null)('the tutorial of an own function in Python (skipped without Python 3.10)', () => {
  let tutorial: Tutorial;
  beforeAll(async () => {
    tutorial = await Tutorial.open(page, await sharedStack());
    await tutorial.step('1. Declare the function');
  });
  afterAll(() => tutorial?.remove());

  it('a function of Python is admitted and refused as the page shows', async () => {
    expect(await tutorial.step('4. The same from Python')).toMatch(
      /refunding 500 cents\nok op_\S+ \{'refunded': 500\}\nrefused op_\S+ args\.invalid\n$/,
    );
  });
});
