// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { deadLinksOf } from './dead-links.ts';
import { findPages } from './pages.ts';
import { readSettings } from './settings.ts';

/** The site: static files that any server of files can serve. */
export const siteFolder = (checkout: string): string => join(checkout, 'dist', 'docs');

/** What is known of the site that lies beside this file. */
interface SiteState {
  /** of all that it was made from */
  readonly inputs: string;
  /** the packages that its scripts and styles are made of: folders relative to the checkout */
  readonly packages: readonly string[];
}

const stateFile = (checkout: string): string => `${siteFolder(checkout)}.json`;

/** What decides about the site besides its pages. */
const MADE_FROM = [
  'docs/**/*.{png,svg}',
  'docs/.vitepress/{config,theme/*}.ts',
  'tools/src/site/*.ts',
  'tools/src/docs/prose.ts',
  'node_modules/{vitepress,vue}/package.json',
];

const inputsOf = (checkout: string, env: Readonly<Record<string, string | undefined>>): string => {
  const { base, repository = '' } = readSettings(checkout, env);
  const hash = createHash('sha256').update(`${base}\0${repository}\0`);
  for (const path of [...findPages(checkout).keys(), ...globSync(MADE_FROM, { cwd: checkout }).sort()])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(checkout, path)))
      .update('\0');
  return hash.digest('hex');
};

const readState = (checkout: string): SiteState | undefined => {
  try {
    return JSON.parse(readFileSync(stateFile(checkout), 'utf8')) as SiteState;
  } catch {
    // Never built, or half written.
    return undefined;
  }
};

/**
 * The packages that the site's scripts are made of, relative to the checkout: their licences go with the site.
 *
 * @throws SetupError where the site is not built
 */
export const sitePackages = (checkout: string): readonly string[] => {
  const state = readState(checkout);
  if (state === undefined || !existsSync(siteFolder(checkout)))
    throw new SetupError(`\`${siteFolder(checkout)}\` is missing: run \`npm run build\``);
  return state.packages;
};

/**
 * Builds the site into dist/docs, unless the one that is there was made from the same files. Reads WRIT_DOCS_BASE and
 * WRIT_DOCS_REPOSITORY.
 *
 * @throws SetupError with the generator's errors
 */
export const buildSite = async (checkout: string, env: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const [folder, inputs] = [siteFolder(checkout), inputsOf(checkout, env)];
  if (existsSync(folder) && readState(checkout)?.inputs === inputs) return;
  // Built aside: a service that runs keeps the site that it has until the new one is whole.
  const made = `${folder}.made`;
  mkdirSync(dirname(made), { recursive: true });
  const program = join(checkout, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const { status, tail } = await runProgram(process.execPath, [program, 'build', join(checkout, 'docs')], {
    ...env,
    WRIT_DOCS_OUT: made,
    NO_COLOR: '1',
  });
  if (status !== 0) throw new SetupError('the documentation site cannot be built', tail);
  const packages = JSON.parse(readFileSync(`${made}.packages.json`, 'utf8')) as string[];
  rmSync(`${made}.packages.json`);
  rmSync(stateFile(checkout), { force: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
  writeFileSync(stateFile(checkout), JSON.stringify({ inputs, packages } satisfies SiteState));
};

/**
 * Follows every link of the site that was built.
 *
 * @throws SetupError with each link that leads nowhere, by the document that has it
 */
export const checkSite = (checkout: string, env: Readonly<Record<string, string | undefined>>): void => {
  const sources = new Map([...findPages(checkout)].map(([source, place]) => [place.replace(/\.md$/, '.html'), source]));
  const dead = deadLinksOf(siteFolder(checkout), readSettings(checkout, env).base);
  if (dead.length === 0) return;
  throw new SetupError(
    'links of the documentation lead nowhere:',
    dead.map(({ page, href }) => `${sources.get(page) ?? page}: ${href}`),
  );
};
