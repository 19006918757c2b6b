// SPDX-License-Identifier: Apache-2.0
import type { ActionConstraint, EntityJson, EntityUidJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { CheckedRule } from './checked-rule.ts';
import { FACETS, type Demand, type Facet, type Facts } from './facets.ts';
import { readsOfAll, type Reads } from './reads.ts';
import { groupsOf } from './schema.ts';

export type Tool = Pick<ToolDefinition, 'tool_id' | 'category'>;

/** Rules that Cedar reads and asks in one go: few, so that neither takes long. */
export interface Piece {
  /** hex SHA-256 over the rules: pieces of one content share a slot, whatever set they are of */
  readonly key: string;
  /** Cedar texts by rule id. Texts, since numbers of 64 bits don't survive Cedar's JSON in JavaScript */
  readonly policies: Readonly<Record<string, string>>;
  readonly size: number;
}

/** Rules of a set that one question can meet, ready to be given to Cedar. */
export interface Slice {
  /** all of its rules, each in one piece */
  readonly pieces: readonly Piece[];
  readonly size: number;
  readonly reads: Reads;
  /** the tool with its groups, or nothing where no rule asks for them */
  readonly entities: readonly EntityJson[];
}

/**
 * The rules whose action scope fits one tool. INVARIANT (slicing changes nothing): a rule that is left out can't apply.
 */
export interface ToolSlice extends Slice {
  /** ids of the rules that don't look at the supervision: each says the same whatever is asked for */
  readonly unsupervised: ReadonlySet<string>;
  /** those of the rules whose first demands the facts meet */
  readonly narrowed: (facts: Facts) => Slice;
}

type Chosen = readonly (readonly [id: string, rule: CheckedRule])[];

/** Cuts the slice of a tool. */
export function sliceOf(rules: ReadonlyMap<string, CheckedRule>, tool: Tool): ToolSlice {
  const fits = new Set([tool.tool_id, ...groupsOf(tool)]);
  const chosen = [...rules].filter(([, { action }]) => scopeFits(action, tool.tool_id, fits));
  const whole = cut(chosen, tool);
  return {
    ...whole,
    unsupervised: new Set(chosen.filter(([, { reads }]) => !reads.context.has('supervision')).map(([id]) => id)),
    narrowed: narrower(chosen, tool, whole),
  };
}

function cut(chosen: Chosen, tool: Tool): Slice {
  const reads = readsOfAll(chosen.map(([, rule]) => rule.reads));
  const action = (id: string): TypeAndId => ({ type: 'Action', id });
  return {
    pieces: piecesOf(chosen),
    size: chosen.length,
    reads,
    entities: reads.groups ? [{ uid: action(tool.tool_id), attrs: {}, parents: groupsOf(tool).map(action) }] : [],
  };
}

/** So many ordinary rules take Cedar 3 ms to read, and so much text of large ones. */
const PIECE_RULES_MAX = 24;
const PIECE_CHARS_MAX = 6_144;

function piecesOf(chosen: Chosen): Piece[] {
  const groups: (readonly [id: string, text: string])[][] = [];
  let chars = 0;
  for (const [id, { text }] of chosen) {
    const last = groups.at(-1);
    chars += text.length;
    if (last !== undefined && last.length < PIECE_RULES_MAX && chars <= PIECE_CHARS_MAX) {
      last.push([id, text]);
      continue;
    }
    groups.push([[id, text]]);
    chars = text.length;
  }
  return groups.map((group) => new CutPiece(Object.fromEntries(group), group.length));
}

class CutPiece implements Piece {
  readonly policies: Readonly<Record<string, string>>;
  readonly size: number;
  #key: string | undefined;

  constructor(policies: Readonly<Record<string, string>>, size: number) {
    this.policies = policies;
    this.size = size;
  }

  /** Computed when it is asked for: of many pieces at once it takes long. */
  get key(): string {
    return (this.#key ??= sha256Hex(canonicalBytes(this.policies)));
  }
}

/** Words that rules tell apart may multiply; beyond so many the whole slice is asked, which is right too. */
const NARROWED_MAX = 256;

function narrower(chosen: Chosen, tool: Tool, whole: Slice): ToolSlice['narrowed'] {
  const demanding = chosen.map(([id, rule]) => ({ entry: [id, rule] as const, demands: rule.demands }));
  const words = wordsOf(demanding.flatMap(({ demands }) => demands));
  if (words.length === 0) return () => whole;
  const known = new Map<string, Slice>();
  return (facts) => {
    // Facts that meet the same demands have the same key; a word that no rule asks for is like any other such word.
    const key = words.map(([facet, asked]) => asked.get(facts[facet]) ?? '').join();
    const slice = known.get(key);
    if (slice !== undefined) return slice;
    if (known.size >= NARROWED_MAX) return whole;
    const made = cut(
      demanding
        .filter(({ demands }) => demands.every(([facet, word]) => facts[facet] === word))
        .map(({ entry }) => entry),
      tool,
    );
    known.set(key, made);
    return made;
  };
}

/** The words that rules ask for by facet, numbered. */
const wordsOf = (demands: readonly Demand[]): (readonly [Facet, ReadonlyMap<string, number>])[] =>
  FACETS.map(
    (facet) => [facet, new Map(demands.filter(([of]) => of === facet).map(([, word], n) => [word, n]))] as const,
  ).filter(([, asked]) => asked.size > 0);

function scopeFits(scope: ActionConstraint, toolId: string, fits: ReadonlySet<string>): boolean {
  if (scope.op === 'All') return true;
  if (scope.op === '==') return 'entity' in scope && idOf(scope.entity) === toolId;
  return ('entities' in scope ? scope.entities : [scope.entity]).some((entity) => fits.has(idOf(entity)));
}

const idOf = (uid: EntityUidJson): string => ('__entity' in uid ? uid.__entity : (uid as TypeAndId)).id;
