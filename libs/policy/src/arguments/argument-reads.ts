// SPDX-License-Identifier: Apache-2.0
import type { ArgumentType, RecordType } from './argument-type.ts';

/** The arguments that rules read, as a tree of names. A node without `whole` is only asked for (`has`). */
export interface ArgumentReads {
  /** whether all of it is read, with everything in it */
  readonly whole: boolean;
  readonly members: ReadonlyMap<string, ArgumentReads>;
}

export interface FoundArguments {
  whole: boolean;
  readonly members: Map<string, FoundArguments>;
}

export const noArguments = (): FoundArguments => ({ whole: false, members: new Map() });

/** Adds a path of names. @param whole false where rules only ask whether it is there */
export function addArgument(found: FoundArguments, path: readonly string[], whole: boolean): void {
  let node = found;
  for (const name of path) {
    const next = node.members.get(name) ?? noArguments();
    node.members.set(name, next);
    node = next;
  }
  node.whole ||= whole;
}

/** Adds all of what others read. */
export function addArguments(found: FoundArguments, { whole, members }: ArgumentReads): void {
  found.whole ||= whole;
  for (const [name, reads] of members) {
    const own = found.members.get(name) ?? noArguments();
    found.members.set(name, own);
    addArguments(own, reads);
  }
}

/** The part of a type that the rules name. What they name and the type doesn't have stays missing. */
export function namedPart(type: RecordType, { whole, members }: ArgumentReads): RecordType {
  if (whole) return type;
  const named = type.members.flatMap((member) => {
    const reads = members.get(member.name);
    return reads === undefined ? [] : [{ ...member, type: namedPartOf(member.type, reads) }];
  });
  return { ...type, members: named };
}

const namedPartOf = (type: ArgumentType, reads: ArgumentReads): ArgumentType =>
  type.kind === 'Record' ? namedPart(type, reads) : type;
