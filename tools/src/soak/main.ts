// SPDX-License-Identifier: Apache-2.0
// `npm run soak`: the long form of tests/fault/src/soak.spec.ts, on real parts. Two calls a second for half an hour, the executor killed every minute.
import { join } from 'node:path';
import { build } from '../build.ts';
import { explain } from '../explain.ts';
import { checkout } from '../setup.ts';
import { runPlan } from '../steps.ts';
import { runCheck } from '../test/run-check.ts';
import { withParts } from '../test/with-parts.ts';

const SECONDS = { WRIT_SOAK_SECONDS: '1800', WRIT_SOAK_KILL_SECONDS: '60' };

const say = (line: string): void => { process.stdout.write(`${line}\n`); };
const cwd = join(checkout, 'tests', 'fault');
const jest = [process.execPath, '--experimental-vm-modules', join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')];
const soak = { name: 'soak', command: [...jest, '-c', join(checkout, 'jest.whole.config.mjs'), '--rootDir', cwd, 'src/soak.spec.ts'], cwd, results: [] };

await withParts(async (setup, environmentOf) => {
  try {
    const environment = await environmentOf();
    await runPlan(setup, [{ title: 'Build', run: (step) => build(step.env, step.report) }]);
    // What the caller says of its length comes first.
    const { failed } = await runCheck(setup, soak, { ...environment, ...SECONDS, ...chosen() });
    return failed === 0 ? 0 : 1;
  } catch (error) {
    explain(error);
    return 1;
  }
}, say);

function chosen(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(SECONDS).flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
