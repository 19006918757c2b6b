import { UNITS } from './units.js';

/** Writes milliseconds as `1h 30m`; zero is `0s`. Fractions of a millisecond are dropped. */
export function format(milliseconds) {
  let rest = Math.trunc(milliseconds);
  if (rest < 0) return `-${format(-rest)}`;
  const terms = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) terms.push(`${count}${unit}`);
    rest -= count * size;
  }
  return terms.length > 0 ? terms.join(' ') : '0s';
}
