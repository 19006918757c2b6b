// SPDX-License-Identifier: Apache-2.0
import type { SystemUser } from '@writ/contract';

export interface ResolvedUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string | null;
}

/** Why a user can't run commands, in words for the caller. */
export class UserRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UserRefused';
  }
}

/** `nobody`, and the id of overflow users: files of a mapped container's root seem to belong to them. */
const IDS_MAX = 65_533;

/**
 * The ids of a user in an image. INVARIANT (never root): neither the user nor its group is 0, whatever the image says.
 * @param passwd the text of the image's `/etc/passwd`; attacker-controlled
 * @throws UserRefused
 */
export function findUser(user: SystemUser, passwd: string): ResolvedUser {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  if (typeof user !== 'string') {
    const known = rows.find(([, , uid]) => uid === String(user.uid))?.[0];
    return { ...user, name: known !== undefined && /^[a-z_][a-z0-9_-]{0,31}$/.test(known) ? known : null };
  }
  const row = rows.find(([name]) => name === user);
  if (row === undefined) throw new UserRefused(`the image has no user \`${user}\``);
  const [uid, gid] = [row[2], row[3]].map((id = '') => (/^[0-9]{1,5}$/.test(id) ? Number(id) : NaN));
  if (uid === 0 || gid === 0) throw new UserRefused(`\`${user}\` is root in the image, or of its group`);
  if (uid === undefined || gid === undefined || !(uid <= IDS_MAX) || !(gid <= IDS_MAX))
    throw new UserRefused(`\`${user}\` has no usable ids in the image`);
  return { uid, gid, name: user };
}
