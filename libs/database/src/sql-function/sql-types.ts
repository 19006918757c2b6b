// SPDX-License-Identifier: Apache-2.0
import { byteaArray, int2Array, int8Array, textArray } from '../binary-array.ts';

/** The type of a parameter: what the database calls it, and how a value is handed to the driver. */
export interface SqlType<T> {
  /** As PostgreSQL's format_type says it. */
  readonly pg: string;
  /** @throws RangeError for a number that the type doesn't hold */
  readonly toParameter: (value: T) => unknown;
}

function asItIs<T>(pg: string): SqlType<T> {
  return { pg, toParameter: (value) => value };
}

/** The types of parameters that our functions have. Arrays are sent in the binary format, see binary-array.ts. */
export const sqlTypes = {
  text: asItIs<string>('text'),
  smallint: asItIs<number>('smallint'),
  integer: asItIs<number>('integer'),
  bigint: asItIs<number>('bigint'),
  numeric: asItIs<number>('numeric'),
  boolean: asItIs<boolean>('boolean'),
  bytea: asItIs<Uint8Array>('bytea'),
  /** A value that becomes JSON; null becomes SQL's NULL, as JSON.stringify would hide it in a JSON null. */
  jsonb: <T>(): SqlType<T> => ({
    pg: 'jsonb',
    toParameter: (value) => (value === null ? null : JSON.stringify(value)),
  }),
  /** Where the caller has the JSON already, as its text. */
  jsonbText: asItIs<string>('jsonb'),
  textArray: { pg: 'text[]', toParameter: textArray } as SqlType<readonly (string | null)[]>,
  byteaArray: { pg: 'bytea[]', toParameter: byteaArray } as SqlType<readonly (Uint8Array | null)[]>,
  bigintArray: { pg: 'bigint[]', toParameter: int8Array } as SqlType<readonly (number | null)[]>,
  smallintArray: { pg: 'smallint[]', toParameter: int2Array } as SqlType<readonly (number | null)[]>,
  /** The same type, which takes NULL too. */
  nullable: <T>({ pg, toParameter }: SqlType<T>): SqlType<T | null> => ({
    pg,
    toParameter: (value) => (value === null ? null : toParameter(value)),
  }),
} as const;
