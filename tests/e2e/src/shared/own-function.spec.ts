// SPDX-License-Identifier: Apache-2.0
// The steps of docs/tutorials/own-function.md, as printed: files, commands, and what they print. The part of Python
// installs packages, and has a spec among the long ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { sharedStack } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { Tutorial } from '../tutorial.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const root = repositoryRoot();
const page = readFileSync(join(root, 'docs/tutorials/own-function.md'), 'utf8');
/** What the page promises. */
const TWO_MINUTES = 120_000;

const escaped = (literal: string): string => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

let tutorial: Tutorial;
beforeAll(async () => {
  tutorial = await Tutorial.open(page, await sharedStack());
  await tutorial.step('1. Declare the function');
});
afterAll(() => tutorial?.remove());

it('a function of TypeScript is admitted, refused, and held until a person approves it, within two minutes', async () => {
  const began = performance.now();
  const [shown = ''] = tutorial.outputs('2. Call it from TypeScript or JavaScript');
  const expected = new RegExp(`${escaped(shown).replaceAll('…', '\\S+')}$`);
  expect(await tutorial.step('2. Call it from TypeScript or JavaScript')).toMatch(expected);
  expect(performance.now() - began).toBeLessThan(TWO_MINUTES);
  const printed = await tutorial.stepOfTwo('3. Decide a call yourself', /^held: (apr_\S+)$/m, 'APPROVAL');
  expect(printed).toMatch(/^held: apr_\S+\nrefunding 700 cents\nok op_\S+ \{ refunded: 700 \}\n$/);
});

/** The values of a decision, which the page explains with it. */
const OF_A_DECISION = ['admitted', 'held', 'refused'];

it('the page needs no more than five terms of Writ, which it explains', () => {
  const glossary = readFileSync(join(root, 'GLOSSARY.md'), 'utf8');
  const terms = [...glossary.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, term = '']) => term);
  expect(terms.length).toBeGreaterThan(100);
  const explained = [...page.matchAll(/^- \*\*([A-Z][a-z ]+)\*\*: /gm)].map(([, term = '']) => term.toLowerCase());
  const [steps = ''] = page.split('\n## What can go wrong');
  const prose = steps.replaceAll(/```[^]*?```|`[^`]*`|\]\([^)]*\)/g, ' ').toLowerCase();
  const used = terms.filter((term) => new RegExp(`\\b${escaped(term.toLowerCase())}s?\\b`).test(prose));
  expect(used.filter((term) => !OF_A_DECISION.includes(term)).toSorted()).toEqual(explained.toSorted());
  expect(explained.length).toBeLessThanOrEqual(5);
});
