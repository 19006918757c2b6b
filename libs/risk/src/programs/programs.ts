// SPDX-License-Identifier: Apache-2.0
import type { Reading } from '../shell/shell.ts';
import { BUILDING } from './build.ts';
import { BUILTINS } from './builtins.ts';
import { CONTAINERS } from './containers.ts';
import { COUNTS } from './counts.ts';
import { DATABASES } from './database.ts';
import { DELETING } from './delete.ts';
import { FINDING } from './find.ts';
import { GIT } from './git.ts';
import { INTERPRETERS } from './interpreters.ts';
import { KEYS } from './keys.ts';
import { MODES } from './modes.ts';
import { MOVING } from './move.ts';
import { OUTPUTS } from './output.ts';
import { QUERIES } from './queries.ts';
import { SHELLS } from './shells.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';
import { xargs } from './xargs.ts';

/** The programs with a reading of their arguments, by name; of any other only its name and redirections matter. */
export const PROGRAMS: Readonly<Record<string, Reading>> = {
  ...BUILTINS,
  ...OUTPUTS,
  ...COUNTS,
  ...BUILDING,
  ...DELETING,
  ...FINDING,
  ...MOVING,
  ...MODES,
  ...GIT,
  ...SHELLS,
  ...INTERPRETERS,
  ...TEXT_PROGRAMS,
  ...DATABASES,
  ...QUERIES,
  ...CONTAINERS,
  ...KEYS,
  xargs,
  gxargs: xargs,
};
