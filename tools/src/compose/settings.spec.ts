// SPDX-License-Identifier: Apache-2.0
// The settings of deploy/compose, and their documentation in deploy/compose/README.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkout } from '../setup.ts';
import { COMPOSE_FILES, composeFile, composeText, interpolated } from './compose-file.ts';

const README = composeText('README.md');
const variables = new Map(COMPOSE_FILES.flatMap((name) => [...interpolated(composeText(name))]));
const settings = README.split('\n## Settings\n')[1]?.split('\n## ')[0] ?? '';
const rows = [...settings.matchAll(/^- \*\*(.+?)\*\* \(([^)]+)\):/gm)].map(([, names = '', defaults = '']) => ({
  names,
  defaults,
}));
const withDefault = [...variables].filter(([, otherwise]) => otherwise !== '');

it('the README lists exactly the variables that the Compose files substitute', () => {
  const listed = rows.flatMap(({ names }) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
  expect(listed.sort()).toEqual([...variables.keys()].sort());
});

it.each(withDefault)('the README documents %s with the default `%s`', (name, otherwise) => {
  expect(rows.find(({ names }) => names.includes(`\`${name}\``))?.defaults).toContain(`\`${otherwise}\``);
});

describe('images', () => {
  const values = parse(readFileSync(join(checkout, 'helm/writ/values.yaml'), 'utf8')) as Record<
    string,
    { bundled: { image: { registry: string; repository: string; tag: string } } }
  >;

  it.each([
    ['nats', 'NATS_IMAGE'],
    ['postgres', 'POSTGRES_IMAGE'],
  ])('Compose and the chart run the same %s', (name, variable) => {
    const { registry, repository, tag } = values[name]!.bundled.image;
    expect(variables.get(variable)).toBe(`${registry}/${repository}:${tag}`);
  });
});

describe('models', () => {
  const example = /```json\n([^`]+)```/.exec(README)?.[1] ?? '';
  const { environment = {}, volumes = [] } = composeFile('models.yaml').services['orchestrator'] ?? {};

  it('models.yaml mounts the models folder for the orchestrator, and changes no other service', () => {
    expect(Object.keys(composeFile('models.yaml').services)).toEqual(['orchestrator']);
    expect(volumes).toEqual(['${WRIT_MODELS_DIR:-./models}:/etc/writ/models:ro']);
    expect(environment['WRIT_MODELS_FILE']).toBe('/etc/writ/models/models.json');
    expect(composeText('.gitignore').split('\n')).toContain('models/');
  });

  it('the orchestrator reads the example of the README', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writ-compose-models-'));
    try {
      writeFileSync(join(folder, 'models.json'), example);
      for (const [, key = ''] of example.matchAll(/"key_file": "([^"]+)"/g)) writeFileSync(join(folder, key), 'key\n');
      // Imported by path: no tool depends on an app, and this only uses its reader.
      const { readModelsFile } = (await import(join(checkout, 'apps/orchestrator/src/runs/models/models-file.ts'))) as {
        readModelsFile: (path: string) => readonly { readonly name: string; readonly apiKey: string }[];
      };
      expect(readModelsFile(join(folder, 'models.json'))).toMatchObject([{ name: 'main', apiKey: 'key' }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
