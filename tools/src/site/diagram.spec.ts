// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkout } from '../setup.ts';
import { drawDiagram } from './diagram.ts';
import { missingDiagrams } from './missing-diagrams.ts';
import { findPages, readPage } from './pages.ts';

const sources = [...findPages(checkout).keys()].flatMap((path) =>
  [...readPage(checkout, path).matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, source = '']) => ({ path, source })),
);
/** The ids of boxes: `name[…]`, `name([…])`, `name[(…)]`. */
const boxesOf = (source: string): string[] => [...source.matchAll(/\b([a-z]+)[[(]/g)].map(([, name = '']) => name);

test('the documents have diagrams', () => {
  expect(sources.map(({ path }) => path)).toContain('README.md');
  expect(sources.length).toBeGreaterThan(3);
});

const isSequence = ({ source }: { readonly source: string }): boolean => source.startsWith('sequenceDiagram');

test.each(sources.filter(isSequence))('the diagram of $path is drawn with each party and message', ({ source }) => {
  const svg = drawDiagram(source);
  const text = svg.replaceAll(/<[^>]*>/g, ' ').replaceAll('&amp;', '&');
  const parties = [...source.matchAll(/participant \w+ as (.+)/g)];
  const messages = [...source.matchAll(/--?>>\w+: (.+)/g)];
  expect(messages.length).toBeGreaterThan(2);
  for (const [, label = ''] of [...parties, ...messages]) expect(text).toContain(label);
  expect([...svg.matchAll(/class="actor"/g)]).toHaveLength(parties.length);
  expect([...svg.matchAll(/class="message"/g)]).toHaveLength(messages.length);
});

const flowcharts = sources.filter((each) => !isSequence(each));
test.each(flowcharts)('the diagram of $path is drawn with each box and each arrow', ({ source }) => {
  const svg = drawDiagram(source);
  const text = svg.replaceAll(/<[^>]*>/g, ' ');
  for (const [, label = ''] of source.matchAll(/[[(]"?(?:<b>)?([a-z]+)/g)) expect(text).toContain(label);
  expect([...svg.matchAll(/class="node"/g)]).toHaveLength(new Set(boxesOf(source)).size);
  expect([...svg.matchAll(/class="edge"/g)]).toHaveLength([...source.matchAll(/-->/g)].length);
});

test.each(sources)(
  'the diagram of $path needs no script, no style element and nothing from elsewhere',
  ({ source }) => {
    expect(drawDiagram(source)).not.toMatch(
      /<style|<script|<foreignObject|style="|https?:\/\/(?!www\.w3\.org\/)|@import/,
    );
  },
);

test('every colour of a diagram is defined in the style sheet of the site', () => {
  const css = readFileSync(join(checkout, 'docs/.vitepress/theme/diagrams.css'), 'utf8');
  const used = new Set(sources.flatMap(({ source }) => drawDiagram(source).match(/var\(--[\w-]+/g) ?? []));
  expect(used.size).toBeGreaterThan(3);
  expect([...used].map((use) => use.slice('var('.length)).filter((name) => !css.includes(`${name}: `))).toEqual([]);
});

test('two diagrams of one page share no id, and a long label is wrapped', () => {
  const [one, other] = [drawDiagram('flowchart LR\n  a --> b\n'), drawDiagram('flowchart LR\n  b --> a\n')];
  const idsOf = (svg: string): string[] => [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
  expect(idsOf(one).length).toBeGreaterThan(0);
  expect(idsOf(one).filter((id) => idsOf(other).includes(id))).toEqual([]);
  const wrapped = drawDiagram(`flowchart LR\n  a["${'word '.repeat(30).trim()}"] --> b\n`);
  expect([...wrapped.matchAll(/<tspan x=/g)].length).toBeGreaterThan(3);
});

test('a text that is no diagram fails', () => {
  expect(() => drawDiagram('no diagram')).toThrow();
});

test('a page without the diagram of its document is found', () => {
  const root = mkdtempSync(join(tmpdir(), 'writ-diagrams-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const diagram = '```mermaid\nflowchart LR\n  a --> b\n```\n';
  write('docs/README.md', diagram);
  write('docs/drawn.md', diagram);
  write('docs/none.md', '# None\n');
  write('site/index.html', '<pre>flowchart LR</pre>');
  write('site/drawn.html', `<p>${drawDiagram('flowchart LR\n  a --> b\n')}</p>`);
  write('site/none.html', '<h1>None</h1>');
  expect(missingDiagrams(root, join(root, 'site'), findPages(root))).toEqual(['docs/README.md']);
  rmSync(root, { recursive: true });
});
