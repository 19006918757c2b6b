// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';

/**
 * Directories whose content a build, an install, a test run or a generator recreates. Logs, caches, output and the like
 * are not included: only their owner knows whether they can be recreated.
 */
const REGENERABLE = new Set([
  'build',
  'dist',
  'target',
  'obj',
  '_build',
  'build-output',
  'dist-newstyle',
  'cmake-build-debug',
  'cmake-build-release',
  'DerivedData',
  '.build',
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.eggs',
  'Pods',
  '.bundle',
  '.terraform',
  '.gradle',
  '.dart_tool',
  '.expo',
  '.pnpm-store',
  '.yarn',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.hypothesis',
  '.parcel-cache',
  '.turbo',
  '.nx',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.angular',
  '.vite',
  '.output',
  '.vercel',
  '.docusaurus',
  '.serverless',
  '.astro',
  '.webpack',
  '.rollup.cache',
  '.sass-cache',
  '.ipynb_checkpoints',
  '.stack-work',
  '.jest-cache',
  'cdk.out',
  '.aws-sam',
  '.sst',
  '.firebase',
  '.wrangler',
  '.vinxi',
  '.contentlayer',
  '_site',
  'bazel-bin',
  'bazel-out',
  'bazel-testlogs',
  'zig-out',
  'zig-cache',
  '.zig-cache',
  'elm-stuff',
  '.metals',
  '.bloop',
  '.ccls-cache',
  '.pyre',
  '.pytype',
  '.grunt',
  'jspm_packages',
  '.npm',
  '.nyc_cache',
  '.swc',
  '.rpt2_cache',
  '.vitest',
  '.jest',
  'allure-results',
  'allure-report',
  '.allure',
  'cypress-cache',
  '.playwright',
  'mochawesome-report',
  '.scannerwork',
  '.shadow-cljs',
  '.cpcache',
  'CMakeFiles',
  'autom4te.cache',
  'coverage',
  '.nyc_output',
  'htmlcov',
  'lcov-report',
  'test-results',
  'playwright-report',
  'storybook-static',
  'generated',
  'gen',
  '__generated__',
  '__snapshots__',
  '__image_snapshots__',
]);

/** Where Playwright keeps the screenshots of a spec. */
const PLAYWRIGHT_SNAPSHOTS = /\.(?:spec|test)\.[cm]?[jt]sx?-snapshots$/;

const GIT = '.git';

/** The names of a path, from the root of the workspace. */
export const namesOf = (path: string): readonly string[] => path.split('/');

/** Answers whether a path belongs to version control. */
export const isGit = (path: string): boolean => namesOf(path).includes(GIT);

/** Answers whether a name is that of a directory with regenerable content. */
export const isRegenerableName = (name: string): boolean => REGENERABLE.has(name) || PLAYWRIGHT_SNAPSHOTS.test(name);

/** Answers whether a directory above the path has such a name. */
export const isMadeAgain = (path: string): boolean => namesOf(path).slice(0, -1).some(isRegenerableName);

/** Decides which paths count: those of people, outside version control and outside regenerable directories. */
export class CountedPaths {
  readonly #globs: RE2JS | null;

  /** @param globs further regenerable paths: see `EffectSettings` */
  constructor(globs: readonly string[]) {
    this.#globs =
      globs.length === 0 ? null : RE2JS.compile(globs.map((glob) => `(?:${globExpression(glob)})`).join('|'));
  }

  /** Answers whether a file at the path counts. */
  isCounted(path: string): boolean {
    return !isGit(path) && !this.isRegenerable(path);
  }

  /** Answers whether a path is regenerable: by a directory above it, or by a pattern of the tenant. */
  isRegenerable(path: string): boolean {
    return isMadeAgain(path) || this.#globs?.matcher(path).find() === true;
  }

  /** Answers whether nothing below a directory counts, so that it can be skipped. */
  isSkipped(directory: string): boolean {
    const name = namesOf(directory).at(-1) ?? '';
    return name === GIT || isRegenerableName(name);
  }
}

/**
 * A path pattern as a regular expression: `**` is any names, `*` and `?` stay within one. A pattern without a slash
 * matches a file or directory anywhere, and everything below a match matches. RE2 takes linear time, whoever wrote the
 * pattern.
 */
function globExpression(glob: string): string {
  const anchored = glob.startsWith('/') ? glob.slice(1) : glob.includes('/') ? glob : `**/${glob}`;
  const parts = anchored
    .replace(/(?:\/|\/\*\*)+$/, '')
    .split('/')
    .map((part) =>
      part === '**'
        ? '(?:[^/]+/)*'
        : `${part
            .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
            .replaceAll(/\*+/g, '[^/]*')
            .replaceAll('?', '[^/]')}/`,
    );
  return `^${parts.join('').replace(/\/$/, '')}(?:/|$)`;
}
