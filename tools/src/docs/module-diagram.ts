// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';

interface ModuleRules {
  readonly default: IConfiguration;
  readonly MODULES: Readonly<Record<string, readonly string[]>>;
}

/** The module of a service with that file; undefined for files outside of modules. */
const moduleOf = (app: string, modules: readonly string[], path: string): string | undefined => {
  const [folder] = path.startsWith(`apps/${app}/src/`) ? path.slice(`apps/${app}/src/`.length).split('/') : [];
  return modules.find((module) => module === folder);
};

/** Folders with files: a move leaves empty ones behind in an older checkout. */
const foldersIn = (path: string): readonly string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(path, entry.name)).length > 0)
    .map(({ name }) => name)
    .sort();

/**
 * The modules of a service and their imports, as a Mermaid diagram: a node for each module with its folders, bottom up.
 * An arrow means that production code of one imports the other.
 * @throws Error where a module has no imports in either direction: then reading the imports failed
 */
export async function moduleDiagram(app: string, checkout: string): Promise<string> {
  const rules = (await import(join(checkout, '.dependency-cruiser.mjs'))) as ModuleRules;
  const modules = rules.MODULES[app] ?? [];
  const { output } = await cruise([`apps/${app}/src`], {
    ...rules.default.options,
    baseDir: checkout,
    exclude: { path: '/dist/|/generated/|/specs/|\\.(?:spec|contract)\\.ts$' },
  });
  const arrows = new Set<string>();
  for (const { source, dependencies } of (output as ICruiseResult).modules) {
    const from = moduleOf(app, modules, source);
    for (const { resolved } of dependencies) {
      const to = moduleOf(app, modules, resolved);
      if (from !== undefined && to !== undefined && from !== to) arrows.add(`  ${from} --> ${to}`);
    }
  }
  const lonely = modules.filter((module) => ![...arrows].some((arrow) => arrow.includes(` ${module}`)));
  if (lonely.length > 0) throw new Error(`nothing ties \`${lonely.join('`, `')}\` to other modules of ${app}`);
  const boxes = modules.map(
    (module) =>
      `  ${module}["<b>${module}</b><br/>${foldersIn(join(checkout, 'apps', app, 'src', module)).join(', ')}"]`,
  );
  return ['```mermaid', 'flowchart BT', ...boxes, ...[...arrows].sort(), '```'].join('\n');
}
