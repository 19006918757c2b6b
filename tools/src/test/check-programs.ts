// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { ensureProgram } from '../parts/packages.ts';
import type { Setup } from '../setup.ts';

/** A program that a check's specs start and that is not part of the infrastructure. */
export interface CheckProgram {
  readonly name: string;
  /** Debian's packages that have it */
  readonly packages: readonly string[];
  /** completes the sentence "PACKAGE is needed …" */
  readonly why: string;
  /** a command with status 0 where another program replaces it, so that none is installed */
  readonly unless?: readonly [program: string, ...args: string[]];
}

/** Programs of tests/deploy. The default run of `npm test` needs neither. */
export const DEPLOY_PROGRAMS: readonly CheckProgram[] = [
  { name: 'prometheus', packages: ['prometheus'], why: 'to ask every query of the dashboards and alerts' },
  {
    name: 'docker-compose',
    packages: ['docker-compose'],
    why: 'to start deploy/compose',
    unless: ['docker', 'compose', 'version'],
  },
];

const works = ({ unless }: CheckProgram, env: Setup['env']): boolean => {
  if (unless === undefined) return false;
  const [program, ...args] = unless;
  return spawnSync(program, args, { env, stdio: 'ignore' }).status === 0;
};

/** Programs of the suite `console`. */
export const CONSOLE_PROGRAMS: readonly CheckProgram[] = [
  { name: 'chromium', packages: ['chromium'], why: 'to use the console as people do' },
];

/**
 * Installs the missing ones of the programs.
 *
 * @throws SetupError with the command to type where they can't be installed
 */
export const ensurePrograms = async (setup: Setup, programs: readonly CheckProgram[]): Promise<void> => {
  for (const program of programs)
    if (!works(program, setup.env)) await ensureProgram(setup, program.name, program.packages, program.why);
};
