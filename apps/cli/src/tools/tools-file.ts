// SPDX-License-Identifier: Apache-2.0
import { namesIn, type Problem } from '@writ/contract';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { CliError, usage } from '../cli-error.ts';
import { readNamedFile } from '../read-named-file.ts';
import { textOf } from '../utf8.ts';
import { visibleLine } from '../visible.ts';

/** A tools file on disk. Problems refer to positions in it. */
export interface ToolsFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** the parsed content, not validated yet */
  readonly value: Readonly<Record<string, unknown>>;
  /** line and column, from 1, of the node at a JSON pointer, or of its nearest existing ancestor */
  readonly positionOf: (pointer: string) => { readonly line: number; readonly column: number };
}

/** A longer file is no tools file. */
const BYTES_MAX = 1024 * 1024;

/** Reads YAML 1.2. @throws CliError with line and column for text that is no YAML */
export function readToolsFile(path: string): ToolsFile {
  const text = contentOf(path);
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const lines = text.split(/\r\n?|\n/);
  const [broken] = [...document.errors, ...document.warnings];
  if (broken !== undefined) {
    const { line, col } = counter.linePos(broken.pos[0]);
    throw usage(positionedMessage(path, lines, { line, column: col }, broken.message));
  }
  const value = asRecord(document, path);
  return {
    path,
    lines,
    value,
    positionOf: (pointer) => {
      const { line, col } = counter.linePos(offsetOf(document, pointer));
      return { line: Math.max(1, line), column: Math.max(1, col) };
    },
  };
}

/**
 * A problem in the format of compilers: `file:line:column: what: what to do`, the source line, and a caret below it.
 */
export function problemLines({ path, lines, positionOf }: ToolsFile, { pointer, message, help }: Problem): string {
  return positionedMessage(path, lines, positionOf(pointer), `${message}${help === '' ? '' : `: ${help}`}`);
}

/** All problems, in the file's order, as one error. */
export function invalidToolsError(file: ToolsFile, problems: readonly Problem[]): CliError {
  const inOrder = [...problems].sort((a, b) => file.positionOf(a.pointer).line - file.positionOf(b.pointer).line);
  return new CliError(
    'tools.invalid',
    `nothing was applied\n${inOrder.map((problem) => problemLines(file, problem)).join('\n')}`,
  );
}

function positionedMessage(
  path: string,
  lines: readonly string[],
  { line, column }: { line: number; column: number },
  words: string,
): string {
  const source = visibleLine(lines[line - 1] ?? '');
  return `${visibleLine(path)}:${line}:${column}: ${visibleLine(words)}\n    ${source}\n    ${' '.repeat(Math.max(0, column - 1))}^`;
}

function asRecord(document: Document, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    // More than a hundred alias expansions are treated as a "billion laughs" attack.
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw usage(`\`${path}\`: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage(`\`${path}\` holds no \`tools:\``);
  return value as Record<string, unknown>;
}

function offsetOf(document: Document, pointer: string): number {
  const names = namesIn(pointer);
  for (let length = names.length; length > 0; length--) {
    const node = document.getIn(
      names.slice(0, length).map((name) => (/^\d+$/.test(name) ? Number(name) : name)),
      true,
    );
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function contentOf(path: string): string {
  const bytes = readNamedFile(path);
  if (bytes.byteLength > BYTES_MAX) throw usage(`\`${path}\` is longer than ${BYTES_MAX} bytes`);
  return textOf(bytes, `\`${path}\``);
}
