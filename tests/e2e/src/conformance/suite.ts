// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

/** The revisions that are served. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** One check of the suite. */
export interface Check {
  /** the scenario, `:`, and the check's id: a scenario may make a check several times */
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string;
  /** what the suite received, as a rule */
  readonly details?: unknown;
}

export interface SuiteRun {
  /** what the suite itself says: 0 where nothing failed but what was expected to, and all of that did */
  readonly code: number;
  readonly checks: readonly Check[];
}

/**
 * Runs the official conformance suite of MCP against a server.
 *
 * @param place where the folder of the results begins
 * @param expected a file of the checks that are expected to fail
 */
export async function runSuite(url: string, revision: Revision, place: string, expected?: string): Promise<SuiteRun> {
  // A test that is tried again runs the suite once more, and counts the checks of that run alone.
  const output = mkdtempSync(`${place}-`);
  const options = ['--requirements', revision, '--output-dir', output];
  if (expected !== undefined) options.push('--expected-failures', expected);
  const child = spawn(process.execPath, [SUITE, 'server', '--url', url, ...options], {
    cwd: repositoryRoot(),
    env: { ...process.env, NO_COLOR: '1' },
    // The folders say more than the output.
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number];
  // Each scenario has a folder `server-<scenario>-<time>` with its checks.
  const checks = readdirSync(output).flatMap((folder) => {
    const [, scenario] = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(folder) ?? [];
    const made = JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8')) as (Omit<Check, 'name'> & {
      readonly id: string;
    })[];
    return made.map(({ id, ...check }) => ({ ...check, name: `${scenario}:${id}` }));
  });
  return { code, checks };
}

/** The checks that failed. */
export const failedOf = ({ checks }: SuiteRun): Check[] => checks.filter(({ status }) => status === 'FAILURE');

/** The names of the checks that were made and never failed. */
export function passedIn(run: SuiteRun): Set<string> {
  const passed = new Set(run.checks.filter(({ status }) => status === 'SUCCESS').map(({ name }) => name));
  for (const { name } of failedOf(run)) passed.delete(name);
  return passed;
}

/** Characters of what was received, in words. */
const DETAILS_CHARS_MAX = 600;

/** Checks in words, for the message of a test. */
export const inWords = (checks: readonly Check[]): string =>
  checks
    .map(({ name, errorMessage = '', details = {} }) =>
      `${name} ${errorMessage} ${JSON.stringify(details).slice(0, DETAILS_CHARS_MAX)}`.trimEnd(),
    )
    .join('\n');
