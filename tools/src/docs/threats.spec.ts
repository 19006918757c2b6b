// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';

const UNPROTECTED = '\n## What is not protected\n';
const FORM =
  /^.+\n\n\*\*Threat\.\*\* [^]+\n\n\*\*Invariant\.\*\* [^]+\n\n\*\*Enforced by\*\* [^]+\n\n\*\*Tests\.\*\*\n\n- `[^`]+\.(?:spec|contract)\.ts`/;

const security = readFileSync(join(checkout, 'SECURITY.md'), 'utf8');
const [protectedPart = '', unprotectedPart] = security.split(UNPROTECTED);
const sections = protectedPart.split(/\n### /).slice(1);
const titleOf = (section: string): string => section.split('\n')[0] ?? '';

test('every section of SECURITY.md has a threat, an invariant, its enforcement, and a test', () => {
  expect(sections.length).toBeGreaterThan(100);
  expect(sections.filter((section) => !FORM.test(section)).map(titleOf)).toEqual([]);
});

test('no two threats of SECURITY.md have the same title', () => {
  const titles = sections.map(titleOf);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test('SECURITY.md lists what is not protected', () => {
  expect(unprotectedPart).toBeDefined();
});
