// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { parse, render } from '../dialects.ts';
import type { Outcome } from '../outcome.ts';
import { elementsOf, ElementReader, textOf } from './element.ts';

const COMMAND = parse(
  'tools-xml',
  '<tools><command>ls</command><read><file src="a"/><search pattern="x"/></read><nope/></tools>',
);
const ran = (output: string): Outcome => ({
  standing: 'completed',
  result: { output, exit_code: 0, truncated_bytes: 0, running: false },
  error: null,
});
const contentOf = (outcomes: ReadonlyMap<string, Outcome>, output = COMMAND): string =>
  String(render('tools-xml', output, outcomes)[0]?.['content']);

test('one block has an element for each tool in order, including problems', () => {
  const outcomes = new Map<string, Outcome>([
    ['t1', ran('a\nb')],
    ['t2.1', { standing: 'completed', result: { content: '<x>&', truncated: false }, error: null }],
    ['t2.2', { standing: 'denied', result: null, error: { code: 'token.tool', message: 'not granted', hint: 'ask' } }],
  ]);
  expect(contentOf(outcomes)).toBe(
    [
      '<results>',
      '<command id="t1" status="ok" exit_code="0"><output><![CDATA[a\nb]]></output></command>',
      '<read id="t2.1" part="file" status="ok"><output><![CDATA[<x>&]]></output></read>',
      '<read id="t2.2" part="search" status="denied" error="token.tool"><message><![CDATA[not granted\nask]]></message></read>',
      '<tool id="t3" name="nope" status="error" error="args.invalid"><message><![CDATA[there is no tool `&lt;nope>`: `<command>`, `<edit>`, `<read>`, `<get_value>`, `<input>`, `<ctrl>`, `<call>`]]></message></tool>',
      '</results>',
    ]
      .join('\n')
      .replace('&lt;nope', '<nope'),
  );
});

test('the XML preserves any output of a command exactly', () => {
  const said = fc
    .array(
      fc.constantFrom(
        ']]>',
        ']]',
        '>',
        '<![CDATA[',
        '<tools>',
        '</results>',
        '```',
        '\r\n',
        '[TOOL_CALL:a]',
        '&amp;',
        'Action results:',
        'a',
        '\n',
        '😀',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(said, (output) => {
      const content = contentOf(new Map([['t1', ran(output)]]));
      const reader = new ElementReader(0);
      reader.consume(content, 0);
      const [first] = reader.root === null ? [] : elementsOf(reader.root);
      expect([reader.fault, first === undefined ? null : elementsOf(first).map(textOf)]).toEqual([null, [output]]);
    }),
  );
});
