// SPDX-License-Identifier: Apache-2.0
// What looks like a call becomes a call or a problem, however it misses the form; and prose about the syntax becomes
// neither.
import fc from 'fast-check';
import { DIALECTS, TEXT_DIALECTS, type DialectName, type TextDialect } from './dialect.ts';
import { parse } from './dialects.ts';
import { NATIVE } from './specs/native-answers.ts';

/** Ends a hanging test; a slow machine needs a fraction of it. */
const HANGS_MS = 300_000;

const path = fc.stringMatching(/^[a-z]{1,8}(?:\/[a-z]{1,8}){0,2}$/);
const word = fc.constantFrom('json', 'foo', 'v1', 'a b', 'type="x"');
const indent = fc.stringMatching(/^[ \t]{1,8}$/);
const lead = fc.constantFrom('Sure: ', 'I read it now. ', '> ', '- ', '1. ', '**', '\\');

/** A change to an envelope, which a model or a server in between may make. */
type Mutation = (envelope: string) => string;
const before =
  (...texts: readonly string[]): Mutation =>
  (envelope) =>
    texts.join('') + envelope;
const everyLine =
  (by: string): Mutation =>
  (envelope) =>
    envelope.replace(/^/gm, by);

/** The same for every dialect: what stands before an envelope, or in front of its lines. */
const around: fc.Arbitrary<Mutation> = fc.oneof(
  indent.map((by) => before(by)),
  indent.map(everyLine),
  fc.constant(before('\uFEFF')),
  fc.constantFrom('', '\n', ' ', '\r\n').map((end) => before('<?xml version="1.0" encoding="UTF-8"?>', end)),
  fc.constantFrom('', '\n', ' ').map((end) => before('<!DOCTYPE tools>', end)),
  fc.constantFrom('', '\n').map((end) => before('<!DOCTYPE tools [<!ENTITY x "y">\n]>', end)),
  lead.map((text) => before(text)),
);
const mutations = (own: fc.Arbitrary<Mutation>): fc.Arbitrary<Mutation> =>
  fc
    .array(fc.oneof({ weight: 2, arbitrary: around }, { weight: 1, arbitrary: own }), { minLength: 1, maxLength: 3 })
    .map((all) => (envelope) => all.reduce((sum, each) => each(sum), envelope));
const mutated = (form: (src: string) => string, own: fc.Arbitrary<Mutation>): fc.Arbitrary<string> =>
  fc.tuple(path, mutations(own)).map(([src, mutate]) => mutate(form(src)));
const replacing = (what: string | RegExp, by: (text: string) => string): fc.Arbitrary<Mutation> =>
  word.map((text) => (envelope) => envelope.replace(what, () => by(text)));

const xml = (src: string): string => `<tools>\n<read><file src="${src}"/></read>\n</tools>`;
const TEXT: Readonly<Record<TextDialect, readonly (readonly [(src: string) => string, fc.Arbitrary<Mutation>])[]>> = {
  blocks: [
    [
      (src) => `[TOOL_CALL:c1] {"action":"fs.read","args":{"path":"${src}"}}`,
      replacing(':c1]', (text) => `:c1 ${text}]`),
    ],
  ],
  'tools-xml': [
    [xml, replacing('<tools>', (text) => `<tools ${text}>`)],
    [(src) => xml(src).replaceAll('\n', ''), replacing('<tools>', (text) => `<tools ${text}>`)],
    [(src) => `\`\`\`xml\n${xml(src)}\n\`\`\``, replacing('```xml', (text) => `\`\`\`xml ${text}`)],
    [(src) => JSON.stringify({ reply: 'Hi.', tools: xml(src) }), fc.constant(everyLine(' '))],
    [
      (src) => `\`\`\`json\n${JSON.stringify({ reply: 'Hi.', tools: xml(src) }, null, 2)}\n\`\`\``,
      replacing('```json', (text) => `\`\`\`json ${text}`),
    ],
  ],
  yips: ['yips-agent', 'yips-tools'].map((tag) => [
    (src) =>
      `\`\`\`${tag}\n${JSON.stringify(
        tag === 'yips-agent'
          ? { actions: [{ type: 'tool', id: 't', name: 'read_file', arguments: { path: src } }] }
          : { tool_calls: [{ id: 't', name: 'read_file', arguments: { path: src } }] },
      )}\n\`\`\``,
    fc.oneof(
      replacing(tag, (text) => `${tag} ${text}`),
      replacing(tag, () => ` ${tag}`),
      replacing(/```/g, () => '~~~'),
      replacing(/\n/g, () => ' '),
    ),
  ]),
};

const native = (form: (answer: Parameters<typeof NATIVE.openai.whole>[0]) => string) => (src: string) =>
  form({ text: 'Hi.', calls: [{ id: 'c1', name: 'read_file', args: { path: src } }] });
const legacy = (src: string): object => ({ function_call: { name: 'read_file', arguments: JSON.stringify({ src }) } });
const LEGACY: readonly ((src: string) => string)[] = [
  (src) => JSON.stringify({ choices: [{ message: { content: 'Hi.', ...legacy(src) }, finish_reason: 'stop' }] }),
  (src) =>
    [
      { delta: legacy(src) },
      { delta: { function_call: { arguments: '' } } },
      { delta: {}, finish_reason: 'function_call' },
    ]
      .map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`)
      .join(''),
];

const envelopesOf = (dialect: DialectName): (readonly [(src: string) => string, fc.Arbitrary<Mutation>])[] => {
  if (dialect === 'blocks' || dialect === 'tools-xml' || dialect === 'yips') return [...TEXT[dialect]];
  const { whole, stream } = NATIVE[dialect];
  return [...[whole, stream].map(native), ...(dialect === 'openai' ? LEGACY : [])].map((form) => [form, around]);
};

describe.each(DIALECTS)('%s', (dialect) => {
  it('an envelope that isn’t changed is a call or a problem', () => {
    for (const [form] of envelopesOf(dialect)) {
      const { calls, problems } = parse(dialect, form('a/b'));
      expect(calls.length + problems.length).toBe(1);
    }
  });

  it(
    'an envelope that misses the form is a call or a problem, and never text alone',
    () => {
      for (const [form, own] of envelopesOf(dialect))
        fc.assert(
          fc.property(mutated(form, own), (output) => {
            const { calls, problems } = parse(dialect, output);
            expect(calls.length + problems.length).toBeGreaterThan(0);
          }),
          { numRuns: 300 },
        );
    },
    HANGS_MS,
  );
});

const ONE_READ = '<tools><read><file src="a"/></read></tools>';
const ENVELOPE = '```yips-agent\n{"actions":[{"type":"tool","id":"t","name":"list_dir","arguments":{}}]}\n```';

describe('prose about the syntax', () => {
  it.each<[DialectName, string]>([
    ['tools-xml', 'Use the <tools> element.'],
    ['tools-xml', `Write \`${ONE_READ}\` to read a file.`],
    ['tools-xml', `Write \`\` ${ONE_READ} \`\` with \`<read>\`.`],
    ['tools-xml', 'The <tools> tag, then <command>, and </tools> at the end.'],
    ['tools-xml', `<think>Should I write ${ONE_READ} now?</think>No.`],
    ['tools-xml', `I might write ${ONE_READ}</think>No.`],
    ['yips', 'Begin with ```yips-agent and write an object.'],
    ['yips', 'An envelope is a fence, ```yips-agent, with {"actions": []} in it.'],
    ['yips', '<think>Sure: ```yips-agent\n{"actions":[]}\n```</think>\nNo.'],
    ['yips', 'The `yips-agent` fence and the ```yips-tools``` one.'],
    ['yips', '```json\n{"actions":[]}\n```\n'],
  ])('%s: %j is text', (dialect, output) => {
    expect(parse(dialect, output)).toEqual({ text: output, calls: [], problems: [], stop: null });
  });

  it.each<[DialectName, string, RegExp]>([
    ['tools-xml', `So:\n\`\`\`html\n${ONE_READ}\n\`\`\`\n`, /in a fence of `html` is an example/],
    ['tools-xml', `So:\n~~~markdown\n\`\`\`xml\n${ONE_READ}\n\`\`\`\n~~~\n`, /in a fence of `markdown` is an example/],
    ['yips', `So:\n\`\`\`\`markdown\n${ENVELOPE}\n\`\`\`\`\n`, /in a longer fence is an example/],
    ['yips', `So:\n~~~\n${ENVELOPE}\n~~~\n`, /in a longer fence is an example/],
  ])('%s: %j is an example, and is reported as one', (dialect, output, message) => {
    expect(parse(dialect, output)).toEqual({
      text: output,
      calls: [],
      problems: [expect.objectContaining({ level: 'warning', message: expect.stringMatching(message) as unknown })],
      stop: null,
    });
  });

  it.each<[DialectName, string]>([
    ['tools-xml', `\`\`\`html\n<p>\n${ONE_READ}\n`],
    ['tools-xml', `\`\`\`html\n<p>Sure: ${ONE_READ}\n`],
    ['yips', `~~~\n${ENVELOPE}\n`],
    ['yips', `\`\`\`\`text\nSure: ${ENVELOPE}\n`],
  ])('%s: %j is no example, since its fence stays open', (dialect, output) => {
    expect(parse(dialect, output).problems).toEqual([
      expect.objectContaining({ level: 'protocol', message: expect.stringContaining("isn't closed") as unknown }),
    ]);
  });

  it('a block behind text and one on its own line: the first is a problem, the second runs', () => {
    const { calls, problems } = parse('tools-xml', `Sure: ${ONE_READ}\n<tools><read><file src="b"/></read></tools>`);
    expect([calls.map(({ args }) => args), problems.map(({ level, at }) => [level, at])]).toEqual([
      [{ path: 'b' }],
      [['call', 6]],
    ]);
  });

  it('a legacy call of chat completions runs nothing, and is named', () => {
    for (const form of LEGACY)
      expect(parse('openai', form('a')).problems).toEqual([
        expect.objectContaining({
          level: 'protocol',
          message: expect.stringContaining('legacy `function_call` of `read_file`') as unknown,
        }),
      ]);
  });
});

it('every text dialect has its own mutations', () => {
  expect(Object.keys(TEXT).sort()).toEqual([...TEXT_DIALECTS].sort());
});
