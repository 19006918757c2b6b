// SPDX-License-Identifier: Apache-2.0
import { basename, dirname, join } from 'node:path';
import { JsonError, parseIJson } from '@writ/digest';
import { compilePolicySet, PolicySetError, type PolicyProblem, type PolicySet, type PolicyTool } from '@writ/policy';
import { usage } from './cli-error.ts';
import { readNamedText } from './read-named-file.ts';
import { visibleLine } from './visible.ts';

/** A policy set in files. Problems refer to positions in them. */
export interface PolicyFile {
  readonly document: Readonly<Record<string, unknown>>;
  readonly path: string;
  /** where the rules are: a separate file, or the document */
  readonly rulesPath: string;
}

/** Deeper than any document is. */
const DEPTH_MAX = 16;

/**
 * Reads a set: one JSON document. Instead of `cedar` it may have `cedar_file`, the path of a file with the rules,
 * relative to the document.
 * @throws CliError for a file that can't be read
 */
export function readPolicyFile(path: string): PolicyFile {
  const document = parseDocument(path);
  const { cedar_file: file, ...rest } = document;
  if (file === undefined) return { document, path, rulesPath: path };
  if (typeof file !== 'string' || 'cedar' in document)
    throw usage(`\`${path}\`: \`cedar_file\` is the path of a file, in the place of \`cedar\``);
  const rulesPath = join(dirname(path), file);
  return { document: { ...rest, cedar: readNamedText(rulesPath) }, path, rulesPath };
}

/** The compiled set, or its problems. It is checked against these tools, or against Writ's own. */
export function checkPolicyFile(
  { document }: PolicyFile,
  tools?: readonly PolicyTool[],
): { readonly set: PolicySet | null; readonly problems: readonly PolicyProblem[] } {
  try {
    return { set: compilePolicySet(document, tools), problems: [] };
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    return { set: null, problems: error.problems };
  }
}

/** A problem in the format of compilers: `file:line:column: what: what to do`, and the source line. */
export function problemLines(
  { document, path, rulesPath }: PolicyFile,
  { pointer, line, column, message, help }: PolicyProblem,
): string {
  const text = visibleLine(`${message}${help === '' ? '' : `: ${help}`}`);
  if (line === null) return `${visibleLine(path)}${pointer === '' ? '' : `#${visibleLine(pointer)}`}: ${text}`;
  const place = rulesPath === path ? `${visibleLine(path)}#/cedar` : visibleLine(rulesPath);
  const source = visibleLine(String(document['cedar']).split(/\r\n?|\n/)[line - 1] ?? '');
  return `${place}:${line}:${column ?? 1}: ${text}\n    ${source}\n    ${' '.repeat(Math.max(0, (column ?? 1) - 1))}^`;
}

function parseDocument(path: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseIJson(readNamedText(path), { depthMax: DEPTH_MAX });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw usage(`\`${path}\` is no JSON that Writ takes: ${error.message}`);
  }
  throw usage(`\`${basename(path)}\` holds no JSON object`);
}
