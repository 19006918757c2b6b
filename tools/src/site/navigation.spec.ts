// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkout } from '../setup.ts';
import { makeSidebars, type Entry } from './navigation.ts';
import { addressOf, findPages } from './pages.ts';

const FILES = {
  'README.md': '# Writ\n',
  'GLOSSARY.md': '# Glossary\n',
  'docs/README.md':
    '# Documentation\n\nSee [the glossary](../GLOSSARY.md).\n\n## Tutorials\n\n- [A `first` call](tutorials/first-call.md): make\n  a tenant.\n\n' +
    '## How-to guides\n\nWhat agents may do:\n\n- [Policy](how-to/policy.md): write rules, see [approvals](how-to/approvals.md).\n- [Gone](how-to/gone.md)\n- The [API](how-to/api.md) describes itself.\n\n' +
    '## For operators\n\n[Operations](operations/README.md) is a part of its own.\n[Decisions](adr/README.md) too.\n',
  'docs/tutorials/first-call.md': '# First\n',
  'docs/how-to/policy.md': '# Policy\n',
  'docs/how-to/approvals.md': '# Approvals of calls\n',
  'docs/how-to/api.md': '# API\n',
  'docs/operations/README.md':
    '# Operations\n\n| | |\n|---|---|\n| [Keys](keys.md) | rotate |\n| [Runbooks](runbooks/) | a page each |\n',
  'docs/operations/keys.md': '# Keys\n',
  'docs/operations/unnamed.md': '# Not named\n',
  'docs/operations/runbooks/Down.md': '# Service down\n',
  'docs/adr/README.md':
    '# Decisions\n\n## Build\n\n- [0001. Layers: two tags](0001-layers.md): accepted\n\n## Old\n\n| nr | decision |\n|---|---|\n| [0002](0002-x.md) | a `thing` |\n',
  'docs/adr/0001-layers.md': '# 0001\n',
  'docs/adr/0002-x.md': '# 0002\n',
  'docs/errors/deadline.md': '# `deadline`\n',
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-navigation-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A sidebar as lines: two spaces for each level, and the address of a link. */
const lines = (entries: readonly Entry[] = [], indent = ''): string[] =>
  entries.flatMap(({ text, link, items }) => [
    `${indent}${text}${link === undefined ? '' : ` ${link}`}`,
    ...lines(items, `${indent}  `),
  ]);
const sidebar = (prefix: string): string[] => lines(makeSidebars(root, findPages(root))[prefix]);

test("the index's sections are the navigation, followed by pages that it leaves out", () => {
  expect(sidebar('/')).toEqual([
    'Tutorials',
    '  A first call /tutorials/first-call.html',
    'How-to guides',
    '  What agents may do',
    '    Policy /how-to/policy.html',
    'For operators',
    '  Operations /operations/',
    '  Decisions /adr/',
    'The project',
    '  Glossary /project/glossary.html',
    '  Writ /project/readme.html',
    '  Errors /errors/deadline.html',
    'Other pages',
    '  API /how-to/api.html',
    '  Approvals of calls /how-to/approvals.html',
  ]);
});

test('a folder with an index page has its own sidebar, with all of its pages', () => {
  expect(sidebar('/operations/')).toEqual([
    'All documentation /',
    'Operations /operations/',
    '  Keys /operations/keys.html',
    '  Runbooks',
    '    Service down /operations/runbooks/Down.html',
    '  Not named /operations/unnamed.html',
  ]);
});

test('decisions are under their headings, and a bare number gets its title', () => {
  expect(sidebar('/adr/')).toEqual([
    'All documentation /',
    'Decisions /adr/',
    '  Build',
    '    0001. Layers: two tags /adr/0001-layers.html',
    '  Old',
    '    0002. a thing /adr/0002-x.html',
  ]);
});

test('errors are listed whole', () => {
  expect(sidebar('/errors/')).toEqual(['All documentation /', 'Errors', '  deadline /errors/deadline.html']);
});

test('without an index the README is the front page', () => {
  rmSync(join(root, 'docs/README.md'));
  expect(findPages(root).get('README.md')).toBe('index.md');
  expect(sidebar('/')[0]).toBe('The project');
});

test('in this repository each page has a unique address and is in a sidebar', () => {
  const pages = findPages(checkout);
  const addresses = [...pages.values()].map(addressOf);
  expect(new Set(addresses).size).toBe(pages.size);
  const named = lines(Object.values(makeSidebars(checkout, pages)).flat()).map((line) => line.split(' ').at(-1));
  expect(addresses.filter((address) => !named.includes(address))).toEqual([]);
});
