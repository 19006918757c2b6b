// SPDX-License-Identifier: Apache-2.0

/**
 * The address of the worker program of that name beside the module that asks: `.ts` beside a source, `.js` beside what
 * was compiled of it or joined with others.
 * @param moduleUrl `import.meta.url` of a module that lies in the same folder as the program, in each of the three
 */
export const workerProgram = (name: string, moduleUrl: string): URL =>
  new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
