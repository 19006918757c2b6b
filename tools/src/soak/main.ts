// SPDX-License-Identifier: Apache-2.0
// `npm run soak`: the long form of tests/fault/src/soak.long.spec.ts, on real infrastructure. Two calls a second for
// half an hour, and the executor is killed every minute.
import { explain } from '../explain.ts';
import { checkout } from '../setup.ts';
import { vitestCheck } from '../test/checks.ts';
import { runCheck } from '../test/run-check.ts';
import { withParts } from '../test/with-parts.ts';

const SECONDS = { WRIT_SOAK_SECONDS: '1800', WRIT_SOAK_KILL_SECONDS: '60' };

const SPEC = 'tests/fault/src/soak.long.spec.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

await withParts(async (setup, environmentOf) => {
  try {
    const environment = await environmentOf();
    const soak = vitestCheck(checkout, setup.stateDir, 'soak', ['fault'], 'stacks', [SPEC]);
    // The caller's variables have precedence.
    const { ok } = await runCheck(setup, soak, { ...environment, ...SECONDS, ...chosen() }, print);
    return ok ? 0 : 1;
  } catch (error) {
    explain(error);
    return 1;
  }
}, print);

function chosen(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(SECONDS).flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
