// SPDX-License-Identifier: Apache-2.0
import { problemAt, type CliParameter, type Problem } from '@writ/contract';
import { patternFault } from './values.ts';

/** The types to which each keyword applies; for other types it would be ignored silently. */
const KEYWORDS = {
  pattern: ['string'],
  minLength: ['string'],
  maxLength: ['string'],
  minimum: ['integer', 'number'],
  maximum: ['integer', 'number'],
  enum: ['string', 'integer', 'number'],
  leading_dash: ['string', 'integer', 'number'],
} as const;

export function parameterProblems(parameters: Readonly<Record<string, CliParameter>>, at: string): Problem[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    const pointer = `${at}/parameters/${name}`;
    return [
      ...keywordProblems(parameter, pointer),
      ...choiceProblems(parameter, pointer),
      ...rangeProblems(parameter, pointer),
      ...patternProblems(parameter, pointer),
    ];
  });
}

function keywordProblems(parameter: CliParameter, at: string): Problem[] {
  return Object.entries(KEYWORDS)
    .filter(
      ([keyword, types]) =>
        parameter[keyword as keyof typeof KEYWORDS] !== undefined &&
        !(types as readonly string[]).includes(parameter.type),
    )
    .map(([keyword]) =>
      problemAt(`${at}/${keyword}`, `\`${keyword}\` says nothing about a value of the type \`${parameter.type}\``),
    );
}

function choiceProblems({ type, enum: choices = [], leading_dash }: CliParameter, at: string): Problem[] {
  return choices.flatMap((choice, n) => {
    const fits =
      type === 'string'
        ? typeof choice === 'string'
        : typeof choice === 'number' && (type !== 'integer' || Number.isSafeInteger(choice));
    if (!fits) return [problemAt(`${at}/enum/${n}`, `it is no ${type}`, type === 'string' ? 'quote it' : '')];
    if (String(choice).includes('\0')) return [problemAt(`${at}/enum/${n}`, 'it holds NUL')];
    return String(choice).startsWith('-') && leading_dash !== true
      ? [problemAt(`${at}/enum/${n}`, 'it begins with `-`', 'declare `leading_dash: true`')]
      : [];
  });
}

function rangeProblems(
  { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity }: CliParameter,
  at: string,
): Problem[] {
  return [
    ...(minLength > maxLength ? [problemAt(`${at}/minLength`, 'it is more than `maxLength`')] : []),
    ...(minimum > maximum ? [problemAt(`${at}/minimum`, 'it is more than `maximum`')] : []),
  ];
}

function patternProblems({ type, pattern }: CliParameter, at: string): Problem[] {
  const fault = pattern === undefined || type !== 'string' ? null : patternFault(pattern);
  return fault === null
    ? []
    : [
        problemAt(
          `${at}/pattern`,
          `the expression can't be used: ${fault}`,
          'it is read as RE2 reads it, without look-around and back-references',
        ),
      ];
}
