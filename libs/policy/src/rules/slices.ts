// SPDX-License-Identifier: Apache-2.0
import type { ActionConstraint, EntityJson, EntityUidJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { ToolDefinition } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { RuleText } from './cedar-text.ts';
import { readsOf, type Reads } from './reads.ts';
import { groupsOf } from './schema.ts';

export type Tool = Pick<ToolDefinition, 'tool_id' | 'category'>;

/** The rules of a set whose action scope fits one tool. INVARIANT (slicing changes nothing): a rule that is left out can't apply to the tool. */
export interface Slice {
  /** hex SHA-256 over the rules: slices of one content share a slot, whatever set they are of */
  readonly key: string;
  /** Cedar texts by rule id. Texts, since numbers of 64 bits don't survive Cedar's JSON in JavaScript */
  readonly policies: Readonly<Record<string, string>>;
  readonly size: number;
  readonly reads: Reads;
  /** ids of the rules that don't look at the supervision: each says the same whatever is asked for */
  readonly unsupervised: ReadonlySet<string>;
  /** the tool with its groups, or nothing where no rule asks for them */
  readonly entities: readonly EntityJson[];
}

/** Cuts the slice of a tool. */
export function sliceOf(rules: ReadonlyMap<string, RuleText>, tool: Tool): Slice {
  const groups = groupsOf(tool);
  const fits = new Set([tool.tool_id, ...groups]);
  const chosen = [...rules].filter(([, { json }]) => scopeFits(json.action, tool.tool_id, fits));
  const policies = Object.fromEntries(chosen.map(([id, { text }]) => [id, text]));
  const reads = readsOf(chosen.map(([, { json }]) => json));
  const action = (id: string): TypeAndId => ({ type: 'Action', id });
  return {
    key: sha256Hex(canonicalBytes(policies)),
    policies,
    size: chosen.length,
    reads,
    unsupervised: new Set(chosen.filter(([, { json }]) => !readsOf([json]).context.has('supervision')).map(([id]) => id)),
    entities: reads.groups ? [{ uid: action(tool.tool_id), attrs: {}, parents: groups.map(action) }] : [],
  };
}

function scopeFits(scope: ActionConstraint, toolId: string, fits: ReadonlySet<string>): boolean {
  if (scope.op === 'All') return true;
  if (scope.op === '==') return 'entity' in scope && idOf(scope.entity) === toolId;
  return ('entities' in scope ? scope.entities : [scope.entity]).some((entity) => fits.has(idOf(entity)));
}

const idOf = (uid: EntityUidJson): string => ('__entity' in uid ? uid.__entity : (uid as TypeAndId)).id;
