// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type FsRoot, type Grant } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { parsePath } from '@writ/workspace';

const { grantBytes, tokenLifeMs } = LIMITS;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The grant in its one written form: paths as scopes are compared in. `now` is the database's clock in milliseconds.
 * @throws Fault `path.escape`, `path.invalid`, `request.malformed` for times that no token can have and for paths with
 * a star, `request.too_large`
 */
export function verifyGrant(grant: Grant, now: number): Grant {
  const whole: Grant = { ...grant, fs: grant.fs.map(rootOf) };
  if (whole.expires_at <= now) throw malformed('expires_at', 'it must lie in the future');
  if (whole.expires_at > now + tokenLifeMs.max)
    throw malformed('expires_at', `a token lives ${tokenLifeMs.max / DAY_MS} days at most`);
  if (whole.not_before >= whole.expires_at) throw malformed('not_before', 'it must lie before `expires_at`');
  if (canonicalBytes(whole).byteLength > grantBytes.max)
    throw new Fault(grantBytes.fault, `a grant has at most ${grantBytes.max} bytes`, { pointer: '/grant' });
  return whole;
}

/** What other systems end a root with, and means the same. */
const ALL_BELOW = /(^|\/)\*\*$/;

/**
 * A root reaches all that is at or below it. Any other star is refused: as a name it would grant next to nothing, and
 * its writer would think otherwise.
 */
function rootOf(root: FsRoot, at: number): FsRoot {
  const path = root.path.replace(ALL_BELOW, '');
  if (path.includes('*'))
    throw malformed(
      `fs/${at}/path`,
      `\`${root.path}\` has a star; a root reaches all that is at or below its path, and no other patterns are known`,
    );
  return { ...root, path: parsePath(path) };
}

function malformed(field: string, why: string): Fault {
  return new Fault('request.malformed', `\`/grant/${field}\`: ${why}`, { pointer: `/grant/${field}` });
}
