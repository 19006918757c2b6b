// SPDX-License-Identifier: Apache-2.0

/** Directories that tools fill and fill again; what is lost in them comes back with the next build, install or test run. */
const DIRECTORIES = new Set([
  'build', 'dist', 'out', 'output', 'target', 'obj', 'artifacts', '_build', 'build-output', 'dist-newstyle', 'cmake-build-debug', 'cmake-build-release', 'DerivedData', '.build',
  'node_modules', 'bower_components', '.venv', 'venv', '.tox', '.nox', '.eggs', 'Pods', '.bundle', '.terraform', '.gradle', '.dart_tool', '.expo', '.pnpm-store', '.yarn',
  '__pycache__', '.cache', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.hypothesis', '.parcel-cache', '.turbo', '.nx', '.next', '.nuxt', '.svelte-kit', '.angular',
  '.vite', '.output', '.vercel', '.docusaurus', '.serverless', '.astro', '.webpack', '.rollup.cache', '.eslintcache', '.sass-cache', '.ipynb_checkpoints', '.stack-work', '.jest-cache',
  'cdk.out', '.aws-sam', '.sst', '.firebase', '.wrangler', '.vinxi', '.contentlayer', '_site', 'bazel-bin', 'bazel-out', 'bazel-testlogs', 'zig-out', 'zig-cache', '.zig-cache', 'elm-stuff', '.metals', '.bloop', '.ccls-cache', '.pyre', '.pytype', '.ipynb_checkpoints', '.grunt', 'jspm_packages', '.npm', '.nyc_cache', '.swc', '.rpt2_cache', '.fleet', '.vitest', '.jest', 'allure-results', 'allure-report', '.allure', 'cypress-cache', '.playwright', 'mochawesome-report', 'junit', '.scannerwork', '.dub', '.shadow-cljs', '.cpcache', '.lsp', '.clj-kondo', 'CMakeFiles', '.deps', 'autom4te.cache', '.libs',
  'cache', 'caches', 'tmp', 'temp', '.tmp', '.temp', 'log', 'logs', 'coverage', '.nyc_output', 'htmlcov', 'lcov-report', 'test-results', 'playwright-report', 'storybook-static',
]);
/** The same for directories that count only below another. */
const BELOW = /(?:^|\/)(?:vendor\/bundle|storage\/framework|bootstrap\/cache|docs\/_site|public\/(?:build|assets|packs)|static\/build|android\/app\/build|ios\/build)(?:\/|$)/;
const FILES = new Set(['.DS_Store', 'Thumbs.db', '.coverage', 'a.out', 'core', '.eslintcache', 'nohup.out', 'npm-debug.log', 'CMakeCache.txt', '.stylelintcache']);
const SUFFIXES = [
  '.log', '.tmp', '.temp', '.cache', '.pyc', '.pyo', '.pyd', '.o', '.obj', '.a', '.so', '.dylib', '.class', '.swp', '.swo', '.orig', '.rej', '.bak', '.old', '~', '.pid', '.tsbuildinfo', '.gcda', '.gcno', '.gcov',
  '.egg-info', '.dSYM', '.hi', '.beam', '.elc', '.aux', '.toc', '.crdownload', '.part', '.prof', '.stackdump', '.core', '.hprof', '.trace',
];

/** The names that a pattern with a short list of characters stands for: `*.py[co]` is `*.pyc` and `*.pyo`. */
function spellings(name: string): readonly string[] {
  const [list, letters = ''] = /\[([A-Za-z0-9]{1,4})\]/.exec(name) ?? [];
  // One list is what people write; with more, the pattern stays as it is.
  if (list === undefined || name.indexOf('[') !== name.lastIndexOf('[')) return [name];
  return [...letters].map((letter) => name.replace(list, letter));
}

/** Answers whether a path is output that is made again, told by the name of the thing or of a directory above it. Patterns count by their end. */
export function isRegenerable(segments: readonly string[]): boolean {
  if (segments.some((segment) => DIRECTORIES.has(segment)) || BELOW.test(segments.join('/'))) return true;
  return spellings(segments.at(-1) ?? '').every(isFileMadeAgain);
}

function isFileMadeAgain(last: string): boolean {
  return FILES.has(last) || SUFFIXES.some((suffix) => last.length > suffix.length - 1 && last.endsWith(suffix)) || last.startsWith('npm-debug.log');
}
