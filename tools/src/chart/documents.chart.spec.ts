// SPDX-License-Identifier: Apache-2.0
// YAML in operators' pages: objects of Kubernetes and of admission controllers, and values of the chart.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { chartTools, describeChart, renderSmall } from './chart.contract.ts';
import { parseObjects } from './render.ts';

const FOLDER = join(checkout, 'docs/operations');

/** A reader's text in place of `…`. */
const filledIn = (block: string): string => block.replaceAll('sha256:…', `sha256:${'0'.repeat(64)}`);

const BLOCKS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .flatMap((page) =>
    [...readFileSync(join(FOLDER, page), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => ({
      page,
      block: filledIn(block),
    })),
  );
const OBJECTS = BLOCKS.filter(({ block }) => block.startsWith('apiVersion:'));
const VALUES = BLOCKS.filter(({ block }) => !block.startsWith('apiVersion:'));

describeChart('YAML in pages for operators', () => {
  test('there are objects and values to check', () => {
    expect(OBJECTS.length).toBeGreaterThan(2);
    expect(VALUES.length).toBeGreaterThan(2);
  });

  test.each(OBJECTS)('an object in $page is valid by its definition', ({ block }) => {
    const { kubeconform, schemas } = chartTools();
    const args = ['-strict', '-schema-location', join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json')];
    const { status, stdout, stderr } = spawnSync(kubeconform, args, { encoding: 'utf8', input: block });
    expect({ status, out: `${stdout}${stderr}` }).toEqual({ status: 0, out: '' });
  });

  test.each(VALUES)('values in $page are accepted by the chart', ({ block }) => {
    const [values] = parseObjects(block);
    expect(renderSmall(values as never).length).toBeGreaterThan(0);
  });
});
