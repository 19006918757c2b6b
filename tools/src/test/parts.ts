// SPDX-License-Identifier: Apache-2.0
// `npm run parts`: starts the tests' infrastructure and keeps it running until Ctrl-C, so that one project's tests can
// run by themselves.
import { once } from 'node:events';
import { join } from 'node:path';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { addressesFile } from '../supervisor/clean-up.ts';
import { supervise } from '../supervisor/supervise.ts';
import { bringUpParts } from './bring-up.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const root = defaultStateDir(process.env);
const setup = makeSetup(join(root, 'test'), join(root, 'cache'), process.env, (line) => print(`  ${line}`));

await supervise(setup, 'parts', async ({ stop }) => {
  const { ended } = await bringUpParts(setup);
  print(`the parts are up; ${addressesFile(setup.stateDir)} says where. Ctrl-C stops them.`);
  const reason = await Promise.race([ended, stop.aborted ? null : once(stop, 'abort').then(() => null)]);
  if (reason === null) return 0;
  print(reason);
  return 1;
});
