// SPDX-License-Identifier: Apache-2.0
// The files of the chart that are generated from the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROCESSES } from '@writ/contract';
import { replaceBlock } from '../docs/blocks.ts';
import type { Document } from '../docs/documents.ts';
import { admissionFiles } from './admission/files.ts';
import { natsConf } from './nats-conf.ts';
import { settingsOf } from './settings.ts';
import { valuesSchema } from './values/schema.ts';
import { settingsTable, valuesTable } from './values/table.ts';

const FOLDER = 'helm/writ';

/** Dashboards and rules in the chart: a chart reads only files of its own folder. */
const COPIED: Readonly<Record<string, string>> = {
  'files/dashboards': 'deploy/grafana/dashboards',
  'files/rules': 'deploy/prometheus/rules',
};

const copiesOf = (checkout: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(COPIED).flatMap(([to, from]) =>
      readdirSync(join(checkout, from)).map((name) => [
        `${to}/${name}`,
        readFileSync(join(checkout, from, name), 'utf8'),
      ]),
    ),
  );

const readIfAny = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Every generated file of the chart, with its present and its up-to-date content. */
export async function chartFiles(checkout: string): Promise<Document[]> {
  const textOf = (name: string): string => readIfAny(join(checkout, FOLDER, name));
  const settings = await settingsOf(checkout);
  const blocks = {
    values: valuesTable(textOf('values.yaml')),
    ...Object.fromEntries(PROCESSES.map((process) => [`settings ${process}`, settingsTable(settings[process])])),
  };
  const made: Readonly<Record<string, string>> = {
    ...copiesOf(checkout),
    ...(await admissionFiles(checkout)),
    'files/nats.conf': natsConf(),
    'values.schema.json': `${JSON.stringify(await valuesSchema(checkout), null, 2)}\n`,
    'README.md': Object.entries(blocks).reduce(
      (text, [name, block]) => replaceBlock(text, name, block),
      textOf('README.md'),
    ),
  };
  return Object.entries(made).map(([name, text]) => ({ path: `${FOLDER}/${name}`, text: textOf(name), made: text }));
}
