// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { findProgram } from '../parts/packages.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';

/** The default folder of Go's installer, which is often not on a root shell's PATH. */
const USUAL_DIRECTORY = '/usr/local/go/bin';

/** The first release that downloads a module's required toolchain by itself. */
const VERSION_MIN = [1, 21] as const;

/** Major and minor version in the output of `go version`. */
export const parseGoVersion = (line: string): readonly [number, number] | undefined => {
  const [, major, minor] = /\bgo(\d+)\.(\d+)/.exec(line) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
};

const isRecent = ([major, minor]: readonly [number, number]): boolean =>
  major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);

const ADVICE = [
  'install Go from https://go.dev/dl/ to /usr/local/go, or put another `go` on PATH, and run the same command again',
];

/**
 * The path of the `go` command.
 *
 * @param why completes the sentence "Go is needed …"
 * @throws SetupError with advice where Go is missing or too old
 */
export const findGo = (env: Setup['env'], why: string): string => {
  const go = findProgram({ ...env, PATH: `${env['PATH'] ?? ''}:${USUAL_DIRECTORY}` }, 'go');
  if (go === undefined)
    throw new SetupError(
      `Go ${VERSION_MIN.join('.')} or later is needed ${why}, and there is no \`go\` on PATH or in ${USUAL_DIRECTORY}`,
      ADVICE,
    );
  const { stdout } = spawnSync(go, ['version'], { encoding: 'utf8', env: { ...env, GOTOOLCHAIN: 'local' } });
  const version = parseGoVersion(stdout);
  if (version === undefined || !isRecent(version)) {
    throw new SetupError(
      `Go ${VERSION_MIN.join('.')} or later is needed ${why}, and ${go} says \`${stdout.trim()}\``,
      ADVICE,
    );
  }
  return go;
};
