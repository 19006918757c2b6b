// SPDX-License-Identifier: Apache-2.0
// `node tools/with-node.mjs tools/src/go-tools/main.ts NAME…`: builds Go programs of the table and prints their paths.
import { join } from 'node:path';
import { explain } from '../explain.ts';
import { defaultStateDir } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { throttle } from '../steps.ts';
import { ensureGoTools } from './ensure.ts';
import { GO_TOOLS, type GoToolName } from './table.ts';

/** Milliseconds between two progress lines: a log stays short. */
const REPORT_MS = 3_000;

const parseNames = (names: readonly string[]): GoToolName[] => {
  const unknown = names.find((name) => !Object.hasOwn(GO_TOOLS, name));
  if (unknown === undefined && names.length > 0) return names as GoToolName[];
  throw new SetupError(unknown === undefined ? 'name the programs to build' : `there is no Go program \`${unknown}\``, [
    `there are: ${Object.keys(GO_TOOLS).join(', ')}`,
  ]);
};

try {
  const report = throttle(
    (line) => process.stderr.write(`${line}\n`),
    REPORT_MS,
    () => performance.now(),
  );
  const names = parseNames(process.argv.slice(2));
  const paths = await ensureGoTools(names, { cacheDir: join(defaultStateDir(process.env), 'cache'), report });
  for (const name of names) process.stdout.write(`${paths[name]}\n`);
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
