// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';
import { checkout } from '../setup.ts';
import type { CanaryResult } from './result.ts';

/** A small tree in which every rule of .dependency-cruiser.mjs is broken: path → what it imports. */
const TREE: Readonly<Record<string, readonly string[]>> = {
  'apps/one/src/admit/a.ts': [
    './b.ts',
    '../commit/c.ts',
    '../store/s.ts',
    '../../../../libs/bus-nats/src/index.ts',
    './x.spec.ts',
    './missing.ts',
  ],
  'apps/one/src/admit/b.ts': ['./a.ts'],
  'apps/one/src/admit/x.spec.ts': [],
  'apps/one/src/commit/c.ts': [],
  'apps/one/src/store/s.ts': ['../commit/c.ts'],
  'libs/bus-nats/src/index.ts': [],
};

/**
 * Cruises the tree with the project's own rules. A configuration that matches no module at all would find nothing
 * either: that counts as silence.
 */
export async function brokenModuleRules(): Promise<CanaryResult[]> {
  const { default: config } = (await import(join(checkout, '.dependency-cruiser.mjs'))) as { default: IConfiguration };
  const folder = mkdtempSync(join(tmpdir(), 'writ-canary-'));
  try {
    for (const [file, imports] of Object.entries(TREE)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      const names = imports.map((from, i) => `import { x as x${i} } from '${from}';`).join('\n');
      writeFileSync(join(folder, file), `${names}\nexport const x = [${imports.map((_, i) => `x${i}`).join(', ')}];\n`);
    }
    const { output } = await cruise(['apps', 'libs'], {
      ...config.options,
      baseDir: folder,
      validate: true,
      ruleSet: config,
    });
    const fired = new Set((output as ICruiseResult).summary.violations.map((violation) => violation.rule.name));
    return (config.forbidden ?? []).map(({ name = '' }) => ({
      rule: name,
      what: 'the tree that breaks every rule',
      fired: fired.has(name),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
