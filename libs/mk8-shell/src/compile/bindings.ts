// SPDX-License-Identifier: Apache-2.0
import { SCRIPT_LIMITS } from '../limits.ts';
import { problemAt, type Problem } from '../problem.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { Flat } from './expand.ts';

const RESERVED: ReadonlySet<string> = new Set(['WORKSPACE', 'CWD', 'USER', 'PREV', 'ITEM', 'INDEX']);

/** The faults of the names that steps give their outputs. */
export function captureProblems(flat: readonly Flat[], { env }: Sandbox): Problem[] {
  const names = new Set<string>();
  return flat.flatMap(({ operation, pointer }) => {
    const name = operation.captureAs?.toUpperCase();
    if (name === undefined) return [];
    const at = (message: string): Problem[] => [problemAt(`${pointer}/captureAs`, message)];
    if (RESERVED.has(name)) return at(`\`${name}\` has a meaning of its own`);
    if (env.has(name)) return at(`\`${name}\` is a variable of the sandbox`);
    if (names.size === names.add(name).size) return at(`\`${name}\` is captured already; case makes no difference`);
    return names.size > SCRIPT_LIMITS.captures ? at(`a script has at most ${SCRIPT_LIMITS.captures} captures`) : [];
  });
}

export interface Labels {
  readonly problems: readonly Problem[];
  readonly targets: readonly (number | null)[];
}

/** For each step, the one at which its failure continues: always a later one, so that every script ends. */
export function labelsOf(flat: readonly Flat[]): Labels {
  const places = new Map<string, number>();
  const problems: Problem[] = [];
  for (const [
    n,
    {
      operation: { label },
      pointer,
    },
  ] of flat.entries()) {
    if (label === undefined) continue;
    if (places.has(label)) problems.push(problemAt(`${pointer}/label`, `the label \`${label}\` stands twice`));
    else places.set(label, n);
  }
  const targets = flat.map(({ operation: { onFailure }, pointer }, n) => {
    if (onFailure === undefined) return null;
    const label = onFailure.slice('goto:'.length);
    const target = places.get(label);
    if (target !== undefined && target > n) return target;
    problems.push(
      problemAt(
        `${pointer}/onFailure`,
        target === undefined
          ? `there is no label \`${label.slice(0, SCRIPT_LIMITS.labelChars)}\``
          : `the label \`${label}\` is not after this operation; goto leads forward alone`,
      ),
    );
    return null;
  });
  return { problems, targets };
}
