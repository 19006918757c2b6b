// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import fc from 'fast-check';
import { DIALECTS, type DialectName, type Parsed } from './dialect.ts';
import type { Outcome } from './outcome.ts';
import { parse, parserOf, prompt, render } from './dialects.ts';
import { NATIVE } from './specs/native-answers.ts';
import { OUTCOME_STATUSES, type OutcomeStatus } from './outcome-status.ts';

/** Pieces of every dialect, whole and broken. */
const FRAGMENTS = [
  '[TOOL_CALL:',
  '[TOOL_CALL:a]',
  '[TOOL_CALL:b] ',
  '[ TOOL_CALL:a]',
  '[TOOL_RESULT:a] status=Completed result={}',
  '{"action":"fs.list"}',
  '{"action":"fs.read","args":{"path":"a"}}',
  '{',
  '}',
  '"',
  '\\',
  '[',
  ']',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\u0000',
  '\ud800',
  '\udc00',
  '😀',
  '<tools>',
  '</tools>',
  '<tools><command>ls</command></tools>',
  '<tools>\n<command>',
  '<command>',
  '</command>',
  '<read><file src="a"/></read>',
  '<edit><file src="a"><find>x</find><replace>y</replace></file></edit>',
  '<![CDATA[',
  ']]>',
  ']]',
  '>',
  '<',
  '&',
  '&lt;',
  '&#91;',
  '<!-- -->',
  '<!DOCTYPE a>',
  '<?xml version="1.0"?>',
  '<results>',
  '</results>',
  '</output>',
  '```',
  '````',
  '```xml\n',
  '```json\n',
  '```yips-agent\n',
  '\n```yips-agent\n',
  '```yips-tools\n',
  '\n```\n',
  '~~~',
  '{"actions":[{"type":"tool","id":"t","name":"list_dir","arguments":{}}]}',
  '{"tool_calls":[]}',
  'Action results:',
  'action results:',
  '{"reply":"a","tools":"<tools><command>ls</command></tools>"}',
  '"tools":',
  'data: ',
  'event: x\n',
  '[DONE]',
  '\n\n',
  'data: {"choices":[{"delta":{"content":"a"}}]}\n\n',
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b"}}\n\n',
  '{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}',
  '{"type":"message","content":[{"type":"tool_use","id":"a","name":"bash","input":{}}],"stop_reason":"tool_use"}',
  'null',
  '1e999',
  '__proto__',
  '{"__proto__":1}',
];
const fragment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...FRAGMENTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);
const hostile = fc.array(fragment, { maxLength: 24 }).map((parts) => parts.join(''));
const answer = fc.record({
  text: fc.string(),
  calls: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z]{1,6}$/),
      name: fc.constantFrom('bash', 'read_file', 'kube-get'),
      args: fc.dictionary(fc.string({ maxLength: 4 }), fc.string()),
    }),
    { selector: ({ id }) => id, maxLength: 4 },
  ),
});
const wire = fc
  .tuple(answer, fc.constantFrom(...Object.values(NATIVE).flatMap(({ whole, stream }) => [whole, stream] as const)))
  .map(([said, form]) => form(said));
const output = fc.oneof({ weight: 3, arbitrary: hostile }, { weight: 1, arbitrary: wire });
const dialect = fc.constantFrom(...DIALECTS);

/** Ends a hanging test; a slow machine needs a fraction of it. */
const HANGS_MS = 300_000;

/** The text in pieces of the given sizes, cyclically. */
function chunked(text: string, sizes: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, n = 0; at < text.length; n++) chunks.push(text.slice(at, (at += sizes[n % sizes.length] ?? 1)));
  return chunks;
}

test(
  'any chunking gives the same result as the whole, and what is shown early is a beginning of its text',
  () => {
    fc.assert(
      fc.property(
        dialect,
        output,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        (name, text, sizes) => {
          const parser = parserOf(name);
          const early = chunked(text, sizes)
            .map((chunk) => parser.push(chunk))
            .join('');
          const parsed = parser.end();
          expect(parsed).toEqual(parse(name, text));
          expect(parsed.text.startsWith(early)).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  },
  HANGS_MS,
);

const TRICKY: readonly (readonly [DialectName, string])[] = [
  ['tools-xml', '<tools><a></b>\nx </tools> more\nrest'],
  ['tools-xml', '<tools>\n<command>ls\n</command> </tools>  \n```\nafter'],
  ['tools-xml', 'a\n```xml\n\n<tools>\r\n<input>y</input></tools>\n```\nb'],
  ['tools-xml', ' \n {"reply":"a","tools":"<tools><command>ls</command></tools>"}\n'],
  ['tools-xml', '```jso\n<tools/>'],
  ['tools-xml', '<tools><command><![CDATA[a]]></command><!-- ] > --></tools>'],
  ['yips', 'abc```\n```yips-agent\n{"assistant_text":"a```","actions":[]}\nx```\n```  '],
  ['blocks', 'a [[TOOL_CALL:a] \n{"action":"fs.list"}[TOOL_CAL'],
  ['blocks', '[TOOL_CALL:a [TOOL_CALL:b]{"action":"fs.list"}'],
];

test.each(TRICKY)('%s: wherever it is cut: %j', (name, text) => {
  const whole = parse(name, text);
  for (let at = 0; at <= text.length; at++) {
    const parser = parserOf(name);
    for (const chunk of [text.slice(0, at), ...text.slice(at)]) parser.push(chunk);
    expect(parser.end()).toEqual(whole);
  }
});

test(
  'no output makes a parser throw; each problem says what and where, and a call is one call',
  () => {
    fc.assert(
      fc.property(dialect, output, (name, text) => {
        const { calls, problems } = parse(name, text);
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
        for (const { id, tool_id, args } of calls)
          expect([id !== '', tool_id !== '', typeof args]).toEqual([true, true, 'object']);
        for (const { message, at } of problems) {
          expect(message.length).toBeGreaterThan(10);
          expect(message.length).toBeLessThan(1_000);
          expect(at >= 0 && at <= Math.max(text.length, 1)).toBe(true);
        }
        if (problems.some(({ level }) => level === 'protocol')) expect(calls).toEqual([]);
      }),
      { numRuns: 400 },
    );
  },
  HANGS_MS,
);

const CALLS: Parsed['calls'] = ['fs.read', 'shell.run', 'other.tool'].map((tool_id, n) => ({
  id: `c${n}`,
  name: 'command',
  tool_id,
  args: {},
  mode: 'run',
  show: {},
  at: n,
}));
const value = fc.oneof(
  hostile,
  fc.record({ output: hostile, exit_code: fc.constant(0) }),
  fc.record({ content: hostile, matches: fc.array(hostile, { maxLength: 2 }) }),
  fc.dictionary(hostile, hostile, { maxKeys: 2 }),
);
const outcome: fc.Arbitrary<Outcome> = fc.record({
  standing: fc.constantFrom(...(Object.keys(OUTCOME_STATUSES) as OutcomeStatus[])),
  result: value,
  error: fc.option(fc.record({ code: hostile, message: hostile, hint: fc.option(hostile) })),
  metadata: fc.option(fc.dictionary(hostile, hostile, { maxKeys: 2 }), { nil: undefined }),
});

/** Every text for a model. */
const textsOf = (shown: unknown): string[] => {
  if (typeof shown === 'string') return [shown];
  return typeof shown === 'object' && shown !== null ? Object.values(shown).flatMap(textsOf) : [];
};
/** Syntax of some dialect, including the lines and elements of a rendering. */
const SIGNS = [
  /\[\s*TOOL_CALL/gi,
  /\[\s*TOOL_RESULT/gi,
  /<\/?\s*tools\b/gi,
  /<\/?\s*results\b/gi,
  /^\s*`{3,}/gm,
  /`{3,}/g,
  /~{3,}/g,
  /action results:/gi,
  /\r/g,
];
const signs = (texts: readonly string[]): number[] =>
  SIGNS.map((sign) => texts.reduce((sum, text) => sum + (text.match(sign)?.length ?? 0), 0));

test(
  'no output of a tool imitates a marker, a fence, an end of CDATA or a result line of any dialect',
  () => {
    const tame: Outcome = { standing: 'completed', result: 'tame', error: null };
    fc.assert(
      fc.property(
        dialect,
        fc.array(outcome, { minLength: CALLS.length, maxLength: CALLS.length }),
        (name, outcomes) => {
          const rendered = (each: readonly Outcome[]): string[] =>
            textsOf(render(name, { calls: CALLS, problems: [] }, new Map(each.map((one, n) => [`c${n}`, one]))));
          const texts = rendered(outcomes);
          expect(signs(texts)).toEqual(signs(rendered(CALLS.map(() => tame))));
          for (const reader of ['blocks', 'tools-xml', 'yips'] satisfies DialectName[])
            for (const text of texts) expect(parse(reader, text)).toMatchObject({ calls: [], problems: [] });
          if (name === 'blocks')
            expect(
              texts
                .join('\n')
                .split(/[\n\u2028\u2029\u0085]/)
                .filter((line) => /^\[TOOL_RESULT:c\d\] status=[A-Z]/.test(line)).length,
            ).toBe(CALLS.length);
        },
      ),
      { numRuns: 250 },
    );
  },
  HANGS_MS,
);

test(
  'no description of a skill imitates a marker, a fence or a result line of any dialect, or is more than a line',
  () => {
    const tools = [...TOOLS.values()];
    const chain = [{ tools: ['*'], fs: [], net: [], secrets: [] }];
    fc.assert(
      fc.property(dialect, fc.array(hostile, { minLength: 1, maxLength: 3 }), (name, descriptions) => {
        const prompted = (each: readonly string[]): string =>
          prompt(name, { tools, chain, skills: each.map((description) => ({ name: 'release', description })) }).system;
        const [told, tame] = [prompted(descriptions), prompted(descriptions.map(() => 'tame'))];
        expect(signs([told])).toEqual(signs([tame]));
        expect(told.split(/[\n\r\u2028\u2029\u0085]/).length).toBe(tame.split(/[\n\r\u2028\u2029\u0085]/).length);
        for (const reader of ['blocks', 'tools-xml', 'yips'] satisfies DialectName[])
          expect(parse(reader, told).calls.length).toBe(parse(reader, tame).calls.length);
      }),
      { numRuns: 250 },
    );
  },
  HANGS_MS,
);
