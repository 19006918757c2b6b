// SPDX-License-Identifier: Apache-2.0
//
// JSONPath over attacker-controlled values with attacker-controlled queries.
// INVARIANT (bounded): a query visits a limited number of values, however its descents and filters multiply.
// INVARIANT (linear): `match` and `search` run on RE2, not on the backtracking expressions of the library.
import { FunctionExpressionType, JSONPathEnvironment, JSONPathError, JSONPointer } from 'json-p3';
import { VERB_LIMITS } from '../limits.ts';
import { compiledExpression, regexFault } from '../registry/expressions.ts';
import { StepError } from '../run/step-error.ts';

type Value = Parameters<JSONPathEnvironment['query']>[1];

const QUERY_CHARS_MAX = 1000;

/** A value that counts the accesses to it. */
function counted(value: Value, count: () => void): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value as object, {
    get: (target, key, receiver) => {
      count();
      return counted(Reflect.get(target, key, receiver) as Value, count);
    },
    ownKeys: (target) => {
      count();
      return Reflect.ownKeys(target);
    },
  }) as Value;
}

function environmentOf(checkTime: () => void): JSONPathEnvironment {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: 256 });
  const matching = (whole: boolean) => ({
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call: (text: unknown, pattern: unknown): boolean => {
      checkTime();
      if (typeof text !== 'string' || typeof pattern !== 'string' || regexFault(pattern) !== null) return false;
      const expression = compiledExpression(pattern);
      return whole ? expression.matches(text) : expression.matcher(text).find();
    },
  });
  environment.functionRegister.set('match', matching(true));
  environment.functionRegister.set('search', matching(false));
  return environment;
}

/**
 * The result of a query, as JSON: the value where there is exactly one, else the list.
 * @throws StepError
 */
export function queryJson(value: Value, query: string, checkTime: () => void): string {
  if (query.length > QUERY_CHARS_MAX) throw new StepError(`a query has at most ${QUERY_CHARS_MAX} characters`);
  if (query === '' || query.startsWith('/')) return pointed(value, query);
  let reads = 0;
  const count = (): void => {
    if (++reads > VERB_LIMITS.jsonPathReads)
      throw new StepError(`the query looks at more than ${VERB_LIMITS.jsonPathReads} values`, { isFinal: true });
  };
  try {
    const found: string[] = [];
    for (const node of environmentOf(checkTime).lazyQuery(query, counted(value, count))) {
      if (found.length === VERB_LIMITS.globMatches)
        throw new StepError(`the query finds more than ${VERB_LIMITS.globMatches} values`);
      found.push(JSON.stringify(node.value, null, 2));
    }
    if (found.length === 1) return found[0] ?? '';
    return found.length === 0
      ? '[]'
      : JSON.stringify(
          found.map((one) => JSON.parse(one) as unknown),
          null,
          2,
        );
  } catch (error) {
    if (error instanceof JSONPathError)
      throw new StepError(`the query can't be read: ${error.message}`, { cause: error, isFinal: true });
    throw error;
  }
}

/** A pointer (RFC 6901), as in old scripts. */
function pointed(value: Value, pointer: string): string {
  try {
    return JSON.stringify(new JSONPointer(pointer).resolve(value), null, 2);
  } catch (error) {
    throw new StepError('the pointer leads to nothing, or is none', { cause: error });
  }
}
