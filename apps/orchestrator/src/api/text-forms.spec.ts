// SPDX-License-Identifier: Apache-2.0
// A text of the wrong form gets a message that says in words what is expected, and never an expression.
import { schemaProblems, TOOLS } from '@writ/contract';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { RouteRow } from '../edge/requests/route.ts';
import { ROUTES } from './routes.ts';

/** Every text in a schema that an expression describes, with the way to it. */
function* patternsIn(schema: unknown, at: string): Generator<readonly [string, TSchema & { pattern: string }]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { type, pattern } = schema as { type?: unknown; pattern?: unknown };
  if (type === 'string' && typeof pattern === 'string') yield [at, schema as TSchema & { pattern: string }];
  for (const [name, inner] of Object.entries(schema)) yield* patternsIn(inner, `${at}/${name}`);
}

/** Texts of which each form refuses at least one. */
const WRONG = ['', ' ', '\0', 'ä'.repeat(400)];

const read = (ROUTES as readonly RouteRow[]).flatMap(({ id, body, documentedBody, form, query }) =>
  [body, documentedBody, form, query].flatMap((schema) => [...patternsIn(schema, id)]),
);
const tools = [...TOOLS.values()].flatMap(({ tool_id, parameters }) => [...patternsIn(parameters, tool_id)]);

test('every form of a text that a request or an argument has is said in words', () => {
  const wordless = [...read, ...tools].filter(([, schema]) => {
    const text = WRONG.find((each) => !Value.Check(schema, each));
    const [problem] = schemaProblems(schema, text);
    const message = problem?.message ?? '';
    // A length or a word of a list may be what is wrong, which is said otherwise.
    const isSaid = problem?.keyword !== 'pattern' || message.includes('; expected: ');
    return text === undefined || message.includes(schema.pattern) || !isSaid;
  });
  expect(wordless.map(([at, { pattern }]) => `${at}: ${pattern}`)).toEqual([]);
  expect(read.length).toBeGreaterThan(100);
});
