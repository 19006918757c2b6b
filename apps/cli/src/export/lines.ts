// SPDX-License-Identifier: Apache-2.0
//
// Lines of an export. Everything from a server is attacker-controlled.
import { parseMessage } from '@writ/contract';
import { Type } from 'typebox';
import { CliError } from '../cli-error.ts';

/** More than any record with its proof has in any format. */
const LINE_CHARS_MAX = 256 * 1024;

const Index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Reads the leaf index from a line, for each format. */
const LEAF_INDEX_READERS = {
  dsse: (line: unknown) => parseMessage(Type.Object({ leaf_index: Index }), line).leaf_index,
  receipt: (line: unknown) =>
    parseMessage(Type.Object({ inclusion: Type.Object({ leaf_index: Index }) }), line).inclusion.leaf_index,
  cloudevents: (line: unknown) =>
    Number(parseMessage(Type.Object({ sequence: Type.String({ pattern: '^[0-9]{16}$' }) }), line).sequence),
  ocsf: (line: unknown) =>
    parseMessage(Type.Object({ metadata: Type.Object({ sequence: Index }) }), line).metadata.sequence,
} as const;
export type Format = keyof typeof LEAF_INDEX_READERS;
export const FORMATS = Object.keys(LEAF_INDEX_READERS) as readonly Format[];

/** A line with its newline, and its leaf index. */
export interface Line {
  readonly text: string;
  readonly leafIndex: number;
}

/**
 * The complete lines that a server sends. Empty lines, which only keep a connection open, are left out. An incomplete
 * last line is left out too.
 * @throws CliError `answer`
 */
export async function* readLines(body: AsyncIterable<string>, format: Format): AsyncGenerator<Line> {
  let rest = '';
  for await (const part of body) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw new CliError('answer', 'a line is longer than any record: is this Writ?');
    for (const line of lines) if (line !== '') yield { text: `${line}\n`, leafIndex: indexIn(line, format) };
  }
}

function indexIn(line: string, format: Format): number {
  try {
    return LEAF_INDEX_READERS[format](JSON.parse(line));
  } catch (cause) {
    throw new CliError(
      'answer',
      `a line is no record of the format \`${format}\`: are both of the same version?`,
      undefined,
      { cause },
    );
  }
}
