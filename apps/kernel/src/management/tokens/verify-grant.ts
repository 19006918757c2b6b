// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type FsRoot, type Grant } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { parsePath } from '@writ/workspace';

const { grantBytes, tokenLifeMs } = LIMITS;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The grant in its canonical form, with paths as scopes are compared. `now` is milliseconds on the database's clock.
 * @throws Fault `path.escape`, `path.invalid`, `request.malformed` for invalid times and for paths with a star,
 * `request.too_large`
 */
export function verifyGrant(grant: Grant, now: number): Grant {
  const canonical: Grant = { ...grant, fs: grant.fs.map(canonicalRoot) };
  if (canonical.expires_at <= now) throw malformed('expires_at', 'it must be in the future');
  if (canonical.expires_at > now + tokenLifeMs.max)
    throw malformed('expires_at', `a token lives ${tokenLifeMs.max / DAY_MS} days at most`);
  if (canonical.not_before >= canonical.expires_at) throw malformed('not_before', 'it must be before `expires_at`');
  if (canonicalBytes(canonical).byteLength > grantBytes.max)
    throw new Fault(grantBytes.fault, `a grant has at most ${grantBytes.max} bytes`, { pointer: '/grant' });
  return canonical;
}

/** A suffix of roots in other systems. It has the same meaning as no suffix. */
const RECURSIVE_SUFFIX = /(^|\/)\*\*$/;

/**
 * A root covers its path and everything below it. Any other star is refused: as a literal name it would grant almost
 * nothing, against its author's intent.
 */
function canonicalRoot(root: FsRoot, at: number): FsRoot {
  const path = root.path.replace(RECURSIVE_SUFFIX, '');
  if (path.includes('*'))
    throw malformed(
      `fs/${at}/path`,
      `\`${root.path}\` has a star; a root covers its path and everything below, and has no other patterns`,
    );
  return { ...root, path: parsePath(path) };
}

function malformed(field: string, why: string): Fault {
  return new Fault('request.malformed', `\`/grant/${field}\`: ${why}`, { pointer: `/grant/${field}` });
}
