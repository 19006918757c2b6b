// SPDX-License-Identifier: Apache-2.0
// Where the code uses each fault code: as a problem of a route, and as the result of a call.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS, type FaultCode } from '@writ/contract';

/** What decides, runs and ends calls: a code that is written here, and isn't only thrown or compared, ends a call. */
const OF_CALLS = [
  'apps/kernel/src/judging/**/*.ts',
  'apps/kernel/src/execution/**/*.ts',
  'apps/kernel/src/admission/**/*.ts',
  'libs/capability/src/**/*.ts',
  'libs/policy/src/**/*.ts',
  'libs/workspace/src/fs-tools/**/*.ts',
];
/** What answers a request before it reaches a handler. */
const OF_EDGE = ['apps/orchestrator/src/edge/**/*.ts'];
const SPECS = /\.(?:spec|contract)\.ts$|\/specs\//;

const CODES = Object.keys(FAULTS) as FaultCode[];

function sourcesOf(checkout: string, patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: checkout })
    .filter((path) => !SPECS.test(path))
    .map((path) => readFileSync(join(checkout, path), 'utf8'));
}

/** Codes that calls end with, or are refused with. */
export function codesOfResults(checkout: string): ReadonlySet<FaultCode> {
  const texts = sourcesOf(checkout, OF_CALLS).map((text) =>
    text
      // Ends a request, and no call.
      .replaceAll(/new Fault\(\s*'[a-z_.]+'/g, '')
      // Looks at a code.
      .replaceAll(/[!=]==\s*'[a-z_.]+'/g, ''),
  );
  return new Set(CODES.filter((code) => texts.some((text) => text.includes(`'${code}'`))));
}

interface DocumentedRoute {
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Codes that the document of the API lists, and those that its edge throws. */
export function codesOfProblems(checkout: string, routes: readonly DocumentedRoute[]): ReadonlySet<FaultCode> {
  const documented = routes
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, answer]) => [...(answer as { description: string }).description.matchAll(/`([a-z_.]+)`: /g)])
    .map(([, code]) => code);
  const thrown = sourcesOf(checkout, OF_EDGE).flatMap((text) =>
    [...text.matchAll(/Fault\(\s*'([a-z_.]+)'/g)].map(([, code]) => code),
  );
  const found = new Set([...documented, ...thrown]);
  return new Set(CODES.filter((code) => found.has(code)));
}
