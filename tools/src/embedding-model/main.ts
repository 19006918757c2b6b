// SPDX-License-Identifier: Apache-2.0
// `npm run embedding-model`: gets the model of embeddings, and prints its folder.
import { join } from 'node:path';
import { explain } from '../explain.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { ensureEmbeddingModel } from './ensure.ts';

try {
  const stateDir = defaultStateDir(process.env);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const setup = makeSetup(stateDir, join(stateDir, 'cache'), process.env, report);
  process.stdout.write(`${await ensureEmbeddingModel(setup)}\n`);
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
