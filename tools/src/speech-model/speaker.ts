// SPDX-License-Identifier: Apache-2.0
// `node tools/with-node.mjs tools/src/speech-model/speaker.ts`: gets espeak-ng and the model of transcription for specs
// that speak and hear, and prints the path of the program and the folder of the model, a line each.
import { join } from 'node:path';
import { explain } from '../explain.ts';
import { ensureProgram } from '../parts/packages.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { ensureSpeechModel } from './ensure.ts';

try {
  const stateDir = defaultStateDir(process.env);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const setup = makeSetup(stateDir, join(stateDir, 'cache'), process.env, report);
  const program = await ensureProgram(setup, 'espeak-ng', ['espeak-ng'], 'to speak to the engine');
  process.stdout.write(`${program}\n${await ensureSpeechModel(setup)}\n`);
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
