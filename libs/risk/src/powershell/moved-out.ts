// SPDX-License-Identifier: Apache-2.0
import type { Field } from '../shell/field.ts';
import type { Session } from './session.ts';

/** A file that is moved out of the workspace is missing afterwards. */
export function noteMovedOut(name: string, from: readonly Field[], to: readonly Field[], { shell }: Session): void {
  const isWithin = (path: Field): boolean =>
    shell
      .zones(path)
      .every((zone) => zone === 'inside' || zone === 'workspace' || zone === 'regenerable' || zone === 'history');
  if (to.length === 0 || to.every(isWithin) === from.every(isWithin)) return;
  for (const path of from) shell.act('move_out', name, path.text);
}
