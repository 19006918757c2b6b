// SPDX-License-Identifier: Apache-2.0

/** The text before the name of a file whose content is sent: `@`, `<`, `name@`, `name=@`. */
const BEFORE_NAME = /^[^=@<]*=?[@<]/;
/** The end of that name: a setting of the part as which it is sent, as in `;type=text/plain`. */
const PART_SETTING = /;\w+=/;

/**
 * The file in the value of an option of `curl` or `wget`, whose content is sent; undefined where the value itself is
 * sent. Takes time in proportion to the value, which is attacker-controlled.
 */
export function sentFile(value: string): string | undefined {
  const before = BEFORE_NAME.exec(value)?.[0].length;
  if (before === undefined || before === value.length) return undefined;
  // A name has at least one character, which may be any.
  const [first, rest] = [value.slice(before, before + 1), value.slice(before + 1)];
  const ends = rest.search(PART_SETTING);
  return first + (ends === -1 ? rest : rest.slice(0, ends));
}
