// SPDX-License-Identifier: Apache-2.0
// Pictures of the dashboards for the documents, from the answers in `tests/deploy/src/dashboards.spec.ts`:
// WRIT_DASHBOARD_DATA=data.json npx vitest run --project deploy tests/deploy/src/dashboards.spec.ts
// node tools/with-node.mjs tools/src/dashboards/plot.ts data.json
// They are plotted from the same queries, with a note that they are no screenshots of Grafana.
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explain } from '../explain.ts';
import { findProgram, runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { checkout } from '../setup.ts';
import { DASHBOARDS } from './all.ts';
import { pageOf, type Answered, WIDTH } from './plotted-page.ts';

interface Data {
  readonly span: { readonly from: number; readonly to: number };
  readonly answers: Readonly<Record<string, Answered>>;
}

const FOLDER = 'docs/operations/img';

/** Renders a page in a real browser. */
async function shoot(chromium: string, html: string, height: number, png: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-plot-'));
  try {
    writeFileSync(join(folder, 'page.html'), html);
    const { status, tail } = await runProgram(
      chromium,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--hide-scrollbars',
        `--user-data-dir=${join(folder, 'profile')}`,
        `--window-size=${String(WIDTH)},${String(height)}`,
        `--screenshot=${png}`,
        `file://${join(folder, 'page.html')}`,
      ],
      process.env,
    );
    if (status !== 0) throw new SetupError('the browser drew no picture', tail);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const [file] = process.argv.slice(2);
  if (file === undefined)
    throw new SetupError('name the file that WRIT_DASHBOARD_DATA named for tests/deploy/src/dashboards.spec.ts', []);
  const chromium = findProgram(process.env, 'chromium');
  if (chromium === undefined)
    throw new SetupError('a browser is needed to draw pictures; install it with:', ['  apt-get install chromium']);
  const { span, answers } = JSON.parse(readFileSync(file, 'utf8')) as Data;
  mkdirSync(join(checkout, FOLDER), { recursive: true });
  for (const [name, spec] of Object.entries(DASHBOARDS)) {
    const answered = answers[`${name}.json`];
    if (answered === undefined)
      throw new SetupError(`\`${file}\` has no answers of the dashboard \`${name}\`: run the spec to its end`, []);
    const { html, height } = pageOf(spec, answered, span);
    await shoot(chromium, html, height, join(checkout, FOLDER, `${name}.png`));
    process.stdout.write(`${FOLDER}/${name}.png\n`);
  }
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
process.disconnect?.();
