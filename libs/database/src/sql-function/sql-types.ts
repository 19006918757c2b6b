// SPDX-License-Identifier: Apache-2.0
import { byteaArray, int2Array, int4Array, int8Array, textArray } from '../binary-array.ts';

/** The type of a parameter: its name in the database, and the conversion of a value for the driver. */
export interface SqlType<T> {
  /** The name that PostgreSQL's format_type returns. */
  readonly pg: string;
  /** @throws RangeError for a number that the type doesn't hold */
  readonly toParameter: (value: T) => unknown;
}

function unchanged<T>(pg: string): SqlType<T> {
  return { pg, toParameter: (value) => value };
}

/** The types of our functions' parameters. Arrays are sent in the binary format, see binary-array.ts. */
export const sqlTypes = {
  text: unchanged<string>('text'),
  smallint: unchanged<number>('smallint'),
  integer: unchanged<number>('integer'),
  bigint: unchanged<number>('bigint'),
  numeric: unchanged<number>('numeric'),
  boolean: unchanged<boolean>('boolean'),
  bytea: unchanged<Uint8Array>('bytea'),
  timestamptz: unchanged<Date>('timestamp with time zone'),
  /** A value that becomes JSON. Null becomes SQL's NULL; JSON.stringify would make it a JSON null. */
  jsonb: <T>(): SqlType<T> => ({
    pg: 'jsonb',
    toParameter: (value) => (value === null ? null : JSON.stringify(value)),
  }),
  /** For callers that have the JSON as text already. */
  jsonbText: unchanged<string>('jsonb'),
  textArray: { pg: 'text[]', toParameter: textArray } as SqlType<readonly (string | null)[]>,
  byteaArray: { pg: 'bytea[]', toParameter: byteaArray } as SqlType<readonly (Uint8Array | null)[]>,
  bigintArray: { pg: 'bigint[]', toParameter: int8Array } as SqlType<readonly (number | null)[]>,
  integerArray: { pg: 'integer[]', toParameter: int4Array } as SqlType<readonly (number | null)[]>,
  smallintArray: { pg: 'smallint[]', toParameter: int2Array } as SqlType<readonly (number | null)[]>,
  /** The same type, which also accepts NULL. */
  nullable: <T>({ pg, toParameter }: SqlType<T>): SqlType<T | null> => ({
    pg,
    toParameter: (value) => (value === null ? null : toParameter(value)),
  }),
} as const;
