// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';
import { checkout } from '../setup.ts';
import type { CanaryResult } from './result.ts';

type Tree = Readonly<Record<string, readonly string[]>>;

/** A small tree that violates the general rules of .dependency-cruiser.mjs: path → its imports. */
const GENERAL: Tree = {
  'apps/one/src/admit/a.ts': ['./b.ts', '../../../../libs/bus-nats/src/index.ts', './x.spec.ts', './missing.ts'],
  'apps/one/src/admit/b.ts': ['./a.ts'],
  'apps/one/src/admit/x.spec.ts': [],
  'libs/bus-nats/src/index.ts': [],
  'apps/orchestrator/src/api/agents/a.ts': ['../tokens/t.ts'],
  'apps/orchestrator/src/api/tokens/t.ts': [],
};

/** The name of a rule for one module or service: `modules-in-order: kernel/judging`. */
const OF_A_SERVICE = /^(modules-in-order|every-folder-is-a-module): ([^/]+)(?:\/(.+))?$/;

/** A file that violates the rule: a module that imports the process's own wiring, or a folder that is no module. */
function breaking(name: string): Tree {
  const [, rule, app = '', module = ''] = OF_A_SERVICE.exec(name) ?? [];
  if (rule === undefined) return {};
  const file = `apps/${app}/src/${rule === 'modules-in-order' ? module : 'elsewhere'}/a.ts`;
  return { [file]: ['../main.ts'], [`apps/${app}/src/main.ts`]: [] };
}

/**
 * Cruises the tree with the project's own rules. A configuration that matches no module would report nothing either, so
 * that counts as a failure.
 */
export async function brokenModuleRules(): Promise<CanaryResult[]> {
  const { default: config } = (await import(join(checkout, '.dependency-cruiser.mjs'))) as { default: IConfiguration };
  const folder = mkdtempSync(join(tmpdir(), 'writ-canary-'));
  try {
    const rules = config.forbidden ?? [];
    const tree = Object.assign({}, GENERAL, ...rules.map(({ name = '' }) => breaking(name))) as Tree;
    for (const [file, imports] of Object.entries(tree)) {
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
    return rules.map(({ name = '' }) => ({
      rule: name,
      what: 'the tree that breaks every rule',
      fired: fired.has(name),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
