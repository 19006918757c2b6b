// SPDX-License-Identifier: Apache-2.0
import { parserOf, type DialectName } from '@writ/dialects';
import { measure, type Load, type Metric } from '../measure.ts';

const MIB = 1024 * 1024;
/** Nearly the maximum of calls in one output. */
const CALLS = 250;
const LINE = 'const answer = { "a": [1, 2], \'b\': `c` }; // <not> & \\ an end\n';
/** The part of each call that makes a mebibyte of them together, with characters that dialects must escape. */
const CONTENT = LINE.repeat(Math.floor(3_400 / LINE.length));
const numbers = Array.from({ length: CALLS }, (_, n) => n);
const fileOf = (n: number): { path: string; content: string } => ({ path: `src/file-${n}.ts`, content: CONTENT });

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const sse = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
/** Chunks as short as a provider sends them. */
const pieces = (text: string): string[] => text.match(/[\s\S]{1,160}/g) ?? [];

/** Outputs with many writes or edits, each in its dialect. */
const OUTPUTS: Readonly<Partial<Record<DialectName, () => string>>> = {
  blocks: () =>
    numbers
      .map(
        (n) =>
          `Now file ${n}.\n[TOOL_CALL:c${n}] ${JSON.stringify({ action: 'fs.write', args: fileOf(n) }, null, 1)}\n`,
      )
      .join(''),
  'tools-xml': () =>
    `<tools>${numbers.map((n) => `<edit><file src="src/file-${n}.ts"><find>a</find><replace>${xmlText(CONTENT)}</replace></file></edit>\n`).join('')}</tools>`,
  yips: () =>
    `\`\`\`yips-agent\n${JSON.stringify({ actions: numbers.map((n) => ({ type: 'tool', id: `c${n}`, name: 'write_file', arguments: fileOf(n) })) }, null, 1)}\n\`\`\`\n`,
  openai: () =>
    numbers
      .flatMap((index) => [
        sse({
          choices: [
            {
              index: 0,
              delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'write_file', arguments: '' } }] },
            },
          ],
        }),
        ...pieces(JSON.stringify(fileOf(index))).map((part) =>
          sse({ choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: part } }] } }] }),
        ),
      ])
      .join('') + sse({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
  anthropic: () =>
    JSON.stringify({
      type: 'message',
      content: numbers.map((n) => ({ type: 'tool_use', id: `c${n}`, name: 'write_file', input: fileOf(n) })),
      stop_reason: 'tool_use',
    }),
  gemini: () =>
    JSON.stringify({
      candidates: [
        {
          content: {
            parts: numbers.map((n) => ({ functionCall: { id: `c${n}`, name: 'write_file', args: fileOf(n) } })),
          },
          finishReason: 'STOP',
        },
      ],
    }),
};

/** Members of the widest object in a mebibyte: each has a name and a value to check. */
const MEMBERS = 80_000;
const WIDE = Object.fromEntries(Array.from({ length: MEMBERS }, (_, n) => [`m${n}`, n]));

/** The output as the parser gets it: whole, or in chunks. */
function chunksOf(output: string, chars: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < output.length; at += chars) chunks.push(output.slice(at, at + chars));
  return chunks;
}

/** One chunk, of any length. */
export const WHOLE = Number.MAX_SAFE_INTEGER;

/** `JSON.parse` of the calls in the outputs, as one text. */
export function jsonParseRaw(load: Load): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  const text = JSON.stringify(numbers.map(fileOf));
  return measure(load, () => {
    if ((JSON.parse(text) as unknown[]).length !== CALLS) throw new Error('it lacks calls');
    return Promise.resolve();
  });
}

/** `JSON.parse` of one object of 80,000 members. */
export function jsonParseWide(load: Load): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  const text = JSON.stringify(WIDE);
  return measure(load, () => {
    if (Object.keys(JSON.parse(text) as object).length !== MEMBERS) throw new Error('it lacks members');
    return Promise.resolve();
  });
}

/** One call whose argument is an object of 80,000 members, the most expensive mebibyte of JSON. */
export function parseWide(load: Load): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  const output = `[TOOL_CALL:c0] ${JSON.stringify({ action: 'fs.write', args: { path: 'wide.json', content: WIDE } })}\n`;
  return measure(load, () => {
    const parser = parserOf('blocks');
    parser.push(output);
    const { calls, problems } = parser.end();
    if (calls.length !== 1 || problems.length > 0)
      throw new Error(
        `${calls.length} calls: ${problems
          .slice(0, 3)
          .map(({ message }) => message)
          .join('; ')}`,
      );
    return Promise.resolve();
  });
}

/** One output of a mebibyte, in chunks of that many characters, from its first character to its calls. */
export function parseDialect(
  dialect: DialectName,
  chars: number,
  load: Load,
): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  const output = OUTPUTS[dialect]?.() ?? '';
  if (output.length < MIB * 0.8) throw new Error(`the output has ${output.length} characters and not a mebibyte`);
  const chunks = chunksOf(output, chars);
  return measure(load, () => {
    const parser = parserOf(dialect);
    for (const chunk of chunks) parser.push(chunk);
    const { calls, problems } = parser.end();
    if (calls.length !== CALLS || problems.length > 0)
      throw new Error(
        `${calls.length} calls: ${problems
          .slice(0, 3)
          .map(({ message }) => message)
          .join('; ')}`,
      );
    return Promise.resolve();
  });
}
