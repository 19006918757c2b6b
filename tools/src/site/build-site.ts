// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';
import { deadLinksOf } from './dead-links.ts';
import { missingDiagrams } from './missing-diagrams.ts';
import { findPages } from './pages.ts';
import { readSettings } from './settings.ts';

/** The site: static files for any file server. */
export const siteFolder = (checkout: string): string => join(checkout, 'dist', 'docs');

/** Metadata of the built site, in the file beside it. */
interface SiteState {
  /** a hash of all inputs */
  readonly inputs: string;
  /** the packages in its scripts and styles: folders relative to the checkout */
  readonly packages: readonly string[];
}

const stateFile = (checkout: string): string => `${siteFolder(checkout)}.json`;

/** Inputs of the site besides its pages. */
const MADE_FROM = [
  'docs/**/*.{png,svg}',
  'docs/.vitepress/config.ts',
  'docs/.vitepress/theme/*',
  'tools/src/site/*.ts',
  'tools/src/docs/prose.ts',
  'node_modules/{vitepress,vue,beautiful-mermaid}/package.json',
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
    // It was never built, or the build is incomplete.
    return undefined;
  }
};

/**
 * The packages in the site's scripts, relative to the checkout: the site includes their licences.
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
 * Builds the site into dist/docs, unless the present one has the same inputs. Reads WRIT_DOCS_BASE and
 * WRIT_DOCS_REPOSITORY.
 *
 * @throws SetupError with the generator's errors
 */
export const buildSite = async (checkout: string, env: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const [folder, inputs] = [siteFolder(checkout), inputsOf(checkout, env)];
  if (existsSync(folder) && readState(checkout)?.inputs === inputs) return;
  // Built in another folder: a running service keeps the old site until the new one is complete.
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
 * Checks every link of the built site, and compares its diagrams with those of the documents.
 *
 * @throws SetupError with each dead link, by its document, or with the documents whose diagrams are missing
 */
export const checkSite = (checkout: string, env: Readonly<Record<string, string | undefined>>): void => {
  const pages = findPages(checkout);
  const undrawn = missingDiagrams(checkout, siteFolder(checkout), pages);
  if (undrawn.length > 0) throw new SetupError('the site lacks diagrams of these documents:', undrawn);
  const sources = new Map([...pages].map(([source, place]) => [place.replace(/\.md$/, '.html'), source]));
  const dead = deadLinksOf(siteFolder(checkout), readSettings(checkout, env).base);
  if (dead.length === 0) return;
  throw new SetupError(
    'links of the documentation lead nowhere:',
    dead.map(({ page, href }) => `${sources.get(page) ?? page}: ${href}`),
  );
};
