import { UNITS } from './units.js';

const MS_OF = new Map(UNITS);
const TERM = /(\d+(?:\.\d+)?)\s*(d|h|m|s|ms)/y;

/**
 * Reads a duration such as `1h 30m` or `1.5h` and returns milliseconds.
 * Throws a RangeError that names the place where the text stops making sense.
 */
export function parse(text) {
  let total = 0;
  let at = 0;
  const skipSpace = () => {
    while (text[at] === ' ') at++;
  };
  skipSpace();
  if (at === text.length) throw new RangeError('empty duration');
  while (at < text.length) {
    TERM.lastIndex = at;
    const term = TERM.exec(text);
    if (!term) throw new RangeError(`unexpected \`${text.slice(at)}\` at ${at}`);
    total += Number(term[1]) * MS_OF.get(term[2]);
    at = TERM.lastIndex;
    skipSpace();
  }
  return total;
}
