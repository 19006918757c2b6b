// SPDX-License-Identifier: Apache-2.0
//
// Parses the text of a script, which is attacker-controlled.
// INVARIANT (all at once): all problems are reported together, each with its position.
// INVARIANT (bounded): length and depth are checked before any step whose memory or stack grows with them.
import { namesIn, pointerOf, schemaProblemText, type SchemaError } from '@writ/contract';
import {
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  visit,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { Compile } from 'typebox/compile';
import { SCRIPT_LIMITS } from '../limits.ts';
import { problemAt, type LocatedProblem, type Problem } from '../problem.ts';
import { ScriptSchema } from './schema.ts';
import type { Script } from './script.ts';

export type ScriptRead =
  | { readonly script: Script; readonly problems: readonly [] }
  | { readonly script: null; readonly problems: readonly LocatedProblem[] };

/** A script, and the positions of its parts. */
export interface ScriptText {
  readonly read: ScriptRead;
  /** Adds the position in the text to a problem of the compiler. */
  readonly locate: (problem: Problem) => LocatedProblem;
}

/** Parses a script's text: strict JSON, no duplicate key, in the shape of `ScriptSchema`. */
export function parseScript(text: string): ScriptText {
  const placeOf = lines(text);
  const nowhere = (problem: Problem): LocatedProblem => ({ ...problem, line: 1, column: 1 });
  const refused = (...problems: LocatedProblem[]): ScriptText => ({
    read: { script: null, problems },
    locate: nowhere,
  });
  if (Buffer.byteLength(text, 'utf8') > SCRIPT_LIMITS.scriptBytes)
    return refused(nowhere(problemAt('', `the script is longer than ${SCRIPT_LIMITS.scriptBytes} bytes`)));
  const deep = tooDeepAt(text);
  if (deep !== null)
    return refused({ ...problemAt('', `it is nested more than ${SCRIPT_LIMITS.depth} deep here`), ...placeOf(deep) });
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  if (errors.length > 0 || root === undefined) {
    const wrong = errors.map(({ error, offset }) => ({
      ...problemAt('', `no JSON here: ${wordsOf(printParseErrorCode(error))}`),
      ...placeOf(offset),
    }));
    return refused(...(wrong.length > 0 ? wrong : [nowhere(problemAt('', 'there is no JSON in it'))]));
  }
  const locate = (problem: Problem): LocatedProblem => ({
    ...problem,
    ...placeOf(nodeAt(root, problem.pointer).offset),
  });
  const value: unknown = getNodeValue(root);
  const problems = [
    ...repeatedKeys(root).map((node) => ({
      ...problemAt(pointerTo(node), `the key \`${String(node.value)}\` is given twice`),
      ...placeOf(node.offset),
    })),
    ...shapeProblems(value).map(locate),
  ];
  return problems.length > 0
    ? { read: { script: null, problems }, locate }
    : { read: { script: value as Script, problems: [] }, locate };
}

const VALIDATOR = Compile(ScriptSchema);

/** All faults in the shape of a value that should be a script. */
export function shapeProblems(value: unknown): Problem[] {
  if (VALIDATOR.Check(value)) return [];
  return VALIDATOR.Errors(value).flatMap((error) => {
    const { instancePath, keyword, params } = error as SchemaError & { params: Record<string, unknown> };
    // A closed object reports an unknown member twice: as such, and as one that never matches.
    if (keyword === 'additionalProperties') return [];
    if (keyword === 'required')
      return (params['requiredProperties'] as string[]).map((name) =>
        problemAt(instancePath, `\`${name}\` is missing`),
      );
    if (keyword === 'enum')
      return [problemAt(instancePath, `must be one of ${(params['allowedValues'] as string[]).join(', ')}`)];
    return [problemAt(instancePath, schemaProblemText(ScriptSchema, error))];
  });
}

const wordsOf = (code: string): string => code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

/** Where the depth first exceeds the limit. Parsing stops there, since the parser's stack grows with it. */
function tooDeepAt(text: string): number | null {
  class TooDeep extends Error {}
  let [depth, at] = [0, 0];
  const open = (offset: number): void => {
    depth++;
    at = offset;
    if (depth > SCRIPT_LIMITS.depth) throw new TooDeep();
  };
  const close = (): void => {
    depth--;
  };
  try {
    visit(
      text,
      { onObjectBegin: open, onArrayBegin: open, onObjectEnd: close, onArrayEnd: close },
      { disallowComments: true },
    );
    return null;
  } catch (error) {
    if (error instanceof TooDeep) return at;
    throw error;
  }
}

/** The node of a pointer, or its nearest ancestor. */
function nodeAt(root: Node, pointer: string): Node {
  const parts = namesIn(pointer);
  for (let length = parts.length; length > 0; length--) {
    const found = findNodeAtLocation(root, pathOf(root, parts.slice(0, length)));
    if (found !== undefined) return found;
  }
  return root;
}

/** The parser has numbers for array indexes; a pointer doesn't show which of its parts are indexes. */
function pathOf(root: Node, parts: readonly string[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (const part of parts) path.push(findNodeAtLocation(root, path)?.type === 'array' ? Number(part) : part);
  return path;
}

function repeatedKeys(root: Node): Node[] {
  const repeated: Node[] = [];
  const look = (node: Node): void => {
    const seen = node.type === 'object' ? new Set<unknown>() : null;
    for (const child of node.children ?? []) {
      const key = child.type === 'property' ? child.children?.[0] : undefined;
      if (key !== undefined && seen?.size === seen?.add(key.value).size) repeated.push(key);
      look(child);
    }
  };
  look(root);
  return repeated;
}

function pointerTo(node: Node): string {
  const parts: string[] = [String(node.value)];
  for (let at: Node | undefined = node.parent?.parent; at?.parent !== undefined; at = at.parent) {
    if (at.parent.type === 'property') parts.unshift(String(at.parent.children?.[0]?.value));
    else if (at.parent.type === 'array') parts.unshift(String(at.parent.children?.indexOf(at)));
  }
  return pointerOf(...parts);
}

function lines(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
