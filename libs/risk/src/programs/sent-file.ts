// SPDX-License-Identifier: Apache-2.0

/** What stands before the name of a file whose content is sent: `@`, `<`, `name@`, `name=@`. */
const BEFORE_NAME = /^[^=@<]*=?[@<]/;
/** What ends that name: a setting of the part that it is sent as, as in `;type=text/plain`. */
const PART_SETTING = /;\w+=/;

/**
 * The file whose content the value of an option of `curl` or `wget` stands for; undefined where it is sent as it is.
 * Takes a time that grows with the value and no faster: the value is attacker-controlled.
 */
export function sentFile(value: string): string | undefined {
  const before = BEFORE_NAME.exec(value)?.[0].length;
  if (before === undefined || before === value.length) return undefined;
  // A name has one character at least, and that may be any.
  const [first, rest] = [value.slice(before, before + 1), value.slice(before + 1)];
  const ends = rest.search(PART_SETTING);
  return first + (ends === -1 ? rest : rest.slice(0, ends));
}
