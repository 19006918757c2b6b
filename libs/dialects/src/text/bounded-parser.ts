// SPDX-License-Identifier: Apache-2.0
import type { DialectParser, Parsed } from '../dialect.ts';
import { DIALECT_LIMITS } from '../limits.ts';

/**
 * Limits the input of a parser to the maximum length of an output. A longer one runs no call and uses no more memory.
 */
export function bounded(parser: DialectParser): DialectParser {
  let received = 0;
  return {
    push: (chunk) => {
      const room = DIALECT_LIMITS.outputChars - received;
      received += chunk.length;
      return room <= 0 ? '' : parser.push(room < chunk.length ? chunk.slice(0, room) : chunk);
    },
    end: (): Parsed => {
      const parsed = parser.end();
      if (received <= DIALECT_LIMITS.outputChars) return parsed;
      const message = `the output has ${received} characters, ${DIALECT_LIMITS.outputChars} are taken: none of its calls runs`;
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
