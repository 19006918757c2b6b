// SPDX-License-Identifier: Apache-2.0
import { InfoStoreError, RANGE_OPERATORS, type Filter } from '@writ/info-store';

/** A condition of Chroma on metadata: closed JSON, without values as names. */
export type Where = Readonly<Record<string, unknown>>;

/**
 * The condition of Chroma for a filter that was parsed.
 * @throws InfoStoreError `invalid` for a range of texts, which Chroma doesn't have
 */
export function whereOf(filter: Filter): Where {
  if ('and' in filter) return grouped('$and', filter.and.map(whereOf));
  if ('or' in filter) return grouped('$or', filter.or.map(whereOf));
  const { field } = filter;
  if ('eq' in filter) return { [field]: { $eq: filter.eq } };
  // Not `$in`, whose values must be of one type.
  if ('in' in filter)
    return grouped(
      '$or',
      filter.in.map((value) => ({ [field]: { $eq: value } })),
    );
  return grouped(
    '$and',
    RANGE_OPERATORS.flatMap((name) => {
      const bound = filter[name];
      if (bound === undefined) return [];
      if (typeof bound === 'string')
        throw new InfoStoreError('invalid', `Chroma has no ranges of texts: \`${field}\` needs numbers`, {
          pointer: '/filters',
        });
      return [{ [field]: { [`$${name}`]: bound } }];
    }),
  );
}

/** Chroma's groups have two members at least. */
function grouped(sign: '$and' | '$or', members: readonly Where[]): Where {
  const [only] = members;
  return members.length === 1 && only !== undefined ? only : { [sign]: members };
}
