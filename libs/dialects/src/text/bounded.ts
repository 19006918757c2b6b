// SPDX-License-Identifier: Apache-2.0
import type { DialectParser, Parsed } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';

/** A parser that is pushed no more than an output may have: what is longer runs no call, and takes no more memory. */
export function bounded(parser: DialectParser): DialectParser {
  let taken = 0;
  return {
    push: (chunk) => {
      const room = DIALECT_LIMITS.outputChars - taken;
      taken += chunk.length;
      return room <= 0 ? '' : parser.push(room < chunk.length ? chunk.slice(0, room) : chunk);
    },
    end: (): Parsed => {
      const parsed = parser.end();
      if (taken <= DIALECT_LIMITS.outputChars) return parsed;
      const message = `the output has ${taken} characters, ${DIALECT_LIMITS.outputChars} are taken: none of its calls runs`;
      return {
        ...parsed,
        calls: [],
        problems: [
          ...parsed.problems,
          { level: 'protocol', message, call_id: null, name: null, at: DIALECT_LIMITS.outputChars },
        ],
      };
    },
  };
}
