// SPDX-License-Identifier: Apache-2.0
// `npm run speech-model`: gets the model of transcription, and prints its folder.
import { join } from 'node:path';
import { explain } from '../explain.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { ensureSpeechModel } from './ensure.ts';

try {
  const stateDir = defaultStateDir(process.env);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  process.stdout.write(
    `${await ensureSpeechModel(makeSetup(stateDir, join(stateDir, 'cache'), process.env, report))}\n`,
  );
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
