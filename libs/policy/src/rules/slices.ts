// SPDX-License-Identifier: Apache-2.0
import type { ActionConstraint, EntityJson, EntityUidJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { reserves } from './approver-groups.ts';
import type { CheckedRule } from './checked-rule.ts';
import { FACETS, type Demand, type Facet, type Facts } from './facets.ts';
import { readsOfAll, type Reads } from './reads.ts';
import { addArguments, noArguments, type ArgumentReads } from '../arguments/argument-reads.ts';
import { groupsOf } from './schema.ts';

export type Tool = Pick<ToolDefinition, 'tool_id' | 'category'>;

/** Rules that Cedar parses and evaluates at once: few, so that neither takes long. */
export interface Piece {
  /** hex SHA-256 over the rules: equal pieces share a slot, whatever set they are from */
  readonly key: string;
  /** Cedar texts by rule id. Texts, since 64-bit numbers don't survive Cedar's JSON in JavaScript */
  readonly policies: Readonly<Record<string, string>>;
  readonly size: number;
}

/** Rules by their ids. */
export type Chosen = readonly (readonly [id: string, rule: CheckedRule])[];

/** The rules of a set that can apply to a question, ready for Cedar. */
export interface Slice {
  /** all of its rules, each in one piece */
  readonly pieces: readonly Piece[];
  readonly size: number;
  readonly reads: Reads;
  /** the tool with its groups, or empty if no rule tests them */
  readonly entities: readonly EntityJson[];
}

/**
 * The rules whose action scope matches one tool. INVARIANT (slicing changes nothing): a rule that is left out can't
 * apply.
 */
export interface ToolSlice extends Slice {
  /** ids of the rules that don't read the supervision: their answers are the same at every level */
  readonly unsupervised: ReadonlySet<string>;
  /** the rules whose first demands are met by the facts */
  readonly narrowed: (facts: Facts) => Slice;
  /** the rules that redact the result, which neither permit nor forbid a call; null for most slices */
  readonly redactions: Slice | null;
  /** the rules that reserve approvals for groups, and are asked apart too; null for most slices */
  readonly reservations: Slice | null;
  /** the rules that read arguments, those that redact too, in the order of the set; empty for most slices */
  readonly argumentRules: Chosen;
  /** the arguments that these rules read of a call with the facts, whatever its supervision; null: none */
  readonly argumentsRead: (facts: Omit<Facts, 'supervision'>) => ArgumentReads | null;
}

/** Answers whether the scope of any of the rules has the tool in it. */
export function appliesToTool(rules: Iterable<CheckedRule>, tool: Tool): boolean {
  const fits = new Set([tool.tool_id, ...groupsOf(tool)]);
  return [...rules].some(({ action }) => scopeFits(action, tool.tool_id, fits));
}

/** Makes the slice of a tool. */
export function sliceOf(rules: ReadonlyMap<string, CheckedRule>, tool: Tool): ToolSlice {
  const fits = new Set([tool.tool_id, ...groupsOf(tool)]);
  const applying = [...rules].filter(([, { action }]) => scopeFits(action, tool.tool_id, fits));
  const chosen = applying.filter(([, rule]) => !redacts(rule) && !reserves(rule));
  const reserving = applying.filter(([, rule]) => reserves(rule));
  const redacting = applying.filter(([, rule]) => redacts(rule));
  const whole = sliceOfRules(chosen, tool);
  const argumentRules = applying.filter(([, { reads }]) => reads.args !== null);
  return {
    ...whole,
    redactions: redacting.length === 0 ? null : sliceOfRules(redacting, tool),
    reservations: reserving.length === 0 ? null : sliceOfRules(reserving, tool),
    argumentRules,
    argumentsRead: (facts) => argumentsRead(argumentRules, facts),
    unsupervised: new Set(chosen.filter(([, { reads }]) => !reads.context.has('supervision')).map(([id]) => id)),
    narrowed: narrower(chosen, tool, whole),
  };
}

/** Answers whether a rule redacts the result of the calls that it applies to. */
export const redacts = ({ annotations }: Pick<CheckedRule, 'annotations'>): boolean => annotations.redact !== undefined;

/**
 * INVARIANT (one answer): computed anew from the rules, without the narrowed slices, whose cache has an end. So the
 * same call always needs the same arguments.
 */
function argumentsRead(rules: Chosen, facts: Omit<Facts, 'supervision'>): ArgumentReads | null {
  const canApply = rules.filter(([, { demands }]) =>
    demands.every(([facet, word]) => facet === 'supervision' || facts[facet] === word),
  );
  if (canApply.length === 0) return null;
  const found = noArguments();
  for (const [, { reads }] of canApply) if (reads.args !== null) addArguments(found, reads.args);
  return found;
}

function sliceOfRules(chosen: Chosen, tool: Tool): Slice {
  const reads = readsOfAll(chosen.map(([, rule]) => rule.reads));
  const action = (id: string): TypeAndId => ({ type: 'Action', id });
  return {
    pieces: piecesOf(chosen),
    size: chosen.length,
    reads,
    entities: reads.groups ? [{ uid: action(tool.tool_id), attrs: {}, parents: groupsOf(tool).map(action) }] : [],
  };
}

/** Limits on a piece: Cedar needs 3 ms to parse that many ordinary rules, or that much text of large ones. */
const PIECE_RULES_MAX = 24;
const PIECE_CHARS_MAX = 6_144;

/** Splits rules into pieces that take Cedar a few milliseconds each. */
export function piecesOf(chosen: Chosen): Piece[] {
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
  return groups.map((group) => new HashedPiece(Object.fromEntries(group), group.length));
}

class HashedPiece implements Piece {
  readonly policies: Readonly<Record<string, string>>;
  readonly size: number;
  #key: string | undefined;

  constructor(policies: Readonly<Record<string, string>>, size: number) {
    this.policies = policies;
    this.size = size;
  }

  /** Computed on first use: for many pieces at once it takes long. */
  get key(): string {
    return (this.#key ??= sha256Hex(canonicalBytes(this.policies)));
  }
}

/**
 * Limit on narrowed slices, since combinations of words multiply. Beyond it the whole slice is evaluated, with the same
 * result.
 */
const NARROWED_MAX = 256;

function narrower(chosen: Chosen, tool: Tool, whole: Slice): ToolSlice['narrowed'] {
  const demanding = chosen.map(([id, rule]) => ({ entry: [id, rule] as const, demands: rule.demands }));
  const words = wordsOf(demanding.flatMap(({ demands }) => demands));
  if (words.length === 0) return () => whole;
  const cached = new Map<string, Slice>();
  return (facts) => {
    // Facts that meet the same demands have the same key; words that no rule tests are equivalent.
    const key = words.map(([facet, numbers]) => numbers.get(facts[facet]) ?? '').join();
    const slice = cached.get(key);
    if (slice !== undefined) return slice;
    if (cached.size >= NARROWED_MAX) return whole;
    const made = sliceOfRules(
      demanding
        .filter(({ demands }) => demands.every(([facet, word]) => facts[facet] === word))
        .map(({ entry }) => entry),
      tool,
    );
    cached.set(key, made);
    return made;
  };
}

/** The words that rules test, by facet, numbered. */
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
