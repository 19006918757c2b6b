// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8');

test('the CLI page lists exactly the commands of the program', () => {
  const files = ['apps/cli/src/command-groups.ts', ...globSync('apps/cli/src/*/groups.ts', { cwd: checkout })];
  const commands = [
    ...files
      .map(read)
      .join('\n')
      .matchAll(/\bname: '([a-z0-9-]+)'/g),
  ].map(([, name]) => name);
  const [, list = ''] = read('docs/reference/cli.md').split('\n## Commands\n');
  const listed = [...list.matchAll(/^- ((?:`[a-z0-9-]+`(?:, )?)+):/gm)].flatMap(([, names = '']) =>
    names.split(', ').map((name) => name.replaceAll('`', '')),
  );
  expect(commands.length).toBeGreaterThan(30);
  expect(listed.toSorted()).toEqual(commands.toSorted());
});
