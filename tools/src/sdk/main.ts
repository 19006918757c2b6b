// SPDX-License-Identifier: Apache-2.0
// Writes the generated part of the clients: `node tools/with-node.mjs tools/src/sdk/main.ts`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkout } from '../setup.ts';
import { clientFilesOf } from './client-files.ts';
import { pythonFilesOf } from './python-files.ts';

for (const { path, text, made } of [...(await clientFilesOf(checkout)), ...(await pythonFilesOf(checkout))]) {
  if (text === made) continue;
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), made);
  process.stdout.write(`${path} was out of date\n`);
}
process.disconnect?.();
