// SPDX-License-Identifier: Apache-2.0

/**
 * The URL of the worker program of that name, beside the calling module: `.ts` beside a source, `.js` beside compiled
 * or bundled code.
 * @param moduleUrl `import.meta.url` of a module in the same folder as the program, in source, build and bundle
 */
export const workerProgram = (name: string, moduleUrl: string): URL =>
  new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
