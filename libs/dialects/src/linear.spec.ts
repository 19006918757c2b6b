// SPDX-License-Identifier: Apache-2.0
import { TEXT_DIALECTS, type TextDialect } from './dialect.ts';
import { parserOf } from './dialects.ts';

/** The length of each text: parsing it in quadratic time would take minutes. */
const CHARS = 512 * 1024;
const fill = (piece: string): string => piece.repeat(Math.floor(CHARS / piece.length));
const found = (inside: string): string =>
  `<tools><edit><file src="a"><find>${inside}</find><replace>b</replace></file></edit></tools>`;

/** Texts that make a parser read the same characters again and again, or recurse with each of them. */
const HOSTILE: readonly (readonly [what: string, output: string])[] = [
  ['a fence and blanks', `x\n\`\`\`${fill(' ')}x`],
  ['blanks in a line that may open something', `x\n${fill(' ')}<`],
  ['ticks', fill('`')],
  ['fences', fill('```\n')],
  ['empty lines behind a fence', `\`\`\`xml\n${fill('\n')}`],
  ['blocks on one line', fill('<tools/>')],
  ['blocks on one line, and a long line behind them', `${fill('<tools/>')}\n${fill('x')}`],
  ['blocks on lines of their own', fill('<tools></tools>\n')],
  ['blocks that are none', fill('<tools><a></b></tools>\n')],
  ['beginnings of blocks', fill('<tools\n')],
  ['elements', `<tools>${fill('<a/>')}</tools>`],
  ['attributes', `<tools a="b" ${Array.from({ length: 40_000 }, (_, n) => `a${n}="b"`).join(' ')}/>`],
  ['references', found(fill('&#65;'))],
  ['references that are none', found(fill('&'))],
  ['references without an end', found(fill('&#1'))],
  ['ends of CDATA that are none', found(`<![CDATA[${fill(']]')}`)],
  ['comments', `<tools>${fill('<!-- -->')}</tools>`],
  ['blank lines of a command', `<tools><command>${fill(' \n')}</command></tools>`],
  ['variables without an end', `<tools><command>${fill('$KARYI{')}</command></tools>`],
  ['escapes', `<tools><input>${fill('\\')}</input></tools>`],
  ['an object that begins to have tools', `{"reply":"${fill('"tools"  ')}`],
  ['markers', fill('[TOOL_CALL:')],
  ['brackets', fill('[')],
  ['markers without objects', fill('[TOOL_CALL:a] ')],
  ['blanks behind a marker', `[TOOL_CALL:a]${fill(' ')}`],
  ['braces', `[TOOL_CALL:a]${fill('{')}`],
  ['markers in an object without an end', `[TOOL_CALL:a]{${fill('[TOOL_CALL:b]')}`],
  ['envelopes', fill('```yips-agent\n{}\n```\n')],
  ['beginnings of envelopes', fill('```yips-agent\n')],
  ['beginnings of thinking', fill('<think>')],
  [
    'thinking within other thinking, closed out of turn',
    `${fill('<think><reasoning>').slice(0, CHARS / 2)}${fill('</thought></think>').slice(0, CHARS / 2)}`,
  ],
  ['ends of thinking', fill('</think>')],
  ['calls, and an end of thinking behind each', fill('[TOOL_CALL:a] {"action":"fs.list"}</think>')],
  ['blanks in a tag of thinking', `<think${fill(' ')}`],
  ['tags without a name', fill('<')],
  ['tags that might become one of thinking', fill('<think a')],
  ['blocks behind other text', fill('x <tools><read/></tools> ')],
  ['blocks in inline code', fill('`x <tools><read/></tools>` ')],
  ['blanks in the opening of a block behind text', `x ${fill('<tools>   ')}`],
  ['runs of backticks behind text', `x ${fill('` ``` `` ')}<tools><read/></tools>`],
  ['envelopes behind text', `x ${fill('```yips-agent {"')}`],
  ['blanks behind the name of an envelope behind text', `x ${fill('```yips-agent a ')}{"`],
  ['blocks in a fence of another language', `\`\`\`html\n${fill('<tools><read/></tools>\n')}`],
  ['fences of tildes', fill('~~~\n')],
  ['tildes', fill('~')],
  ["blanks behind an envelope's name", `\`\`\`yips-agent${fill(' ')}x`],
];

/** Longer than parsing takes on a slow machine, and far shorter than quadratic time. */
const HANGS_MS = 60_000;

describe.each(HOSTILE)('%s', (_what, output) => {
  it.each(TEXT_DIALECTS)(
    '%s reads them in time that grows with their length, whole and as they stream',
    (dialect: TextDialect) => {
      const [whole, streamed] = [output.length, 16].map((chars) => {
        const parser = parserOf(dialect);
        for (let at = 0; at < output.length; at += chars) parser.push(output.slice(at, at + chars));
        return parser.end();
      });
      expect(streamed).toEqual(whole);
    },
    HANGS_MS,
  );
});
