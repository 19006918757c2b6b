// SPDX-License-Identifier: Apache-2.0
import type { Delta } from '@writ/contract';
import { parseJson } from '@writ/digest';

/** The contents that a stored delta references, by hex SHA-256. */
export function hashesOfDelta(bytes: Uint8Array): string[] {
  const { changes } = parseJson(Buffer.from(bytes).toString('utf8')) as Delta;
  const states = changes.flatMap(({ before, after }) => [before, after]);
  return states.flatMap((state) => (state === null || state.sha256 === null ? [] : [state.sha256]));
}
