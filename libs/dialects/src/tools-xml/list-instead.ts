// SPDX-License-Identifier: Apache-2.0
import { FS_LIST, FS_READ } from '@writ/contract';
import type { DialectCall, DialectName } from '../dialect.ts';
import type { Outcome } from '../outcome.ts';

/** The fault of `fs.read` for a directory. */
const IS_DIRECTORY = 'file.kind';

/**
 * The call that answers in place of one whose outcome is `outcome`; null if it stands. `<read><file>` takes a directory
 * as well as a file, and its path alone doesn't tell which: a read of a directory is followed by a call that lists it.
 * That call is proposed and recorded like any other, so that reading grants no listing.
 */
export function listInstead(
  dialect: DialectName | null,
  { tool_id, args }: Pick<DialectCall, 'tool_id' | 'args'>,
  { error }: Pick<Outcome, 'error'>,
): Pick<DialectCall, 'tool_id' | 'args'> | null {
  const { path, ...others } = args;
  return dialect === 'tools-xml' &&
    tool_id === FS_READ.tool_id &&
    error?.code === IS_DIRECTORY &&
    Object.keys(others).length === 0
    ? { tool_id: FS_LIST.tool_id, args: { path } }
    : null;
}
