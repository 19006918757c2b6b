// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { ElementReader, type XmlElement } from './element.ts';

/** A tree in normal form: adjacent texts are joined, since parsers may split them differently. */
type Tree = readonly [name: string, attributes: Readonly<Record<string, string>>, children: readonly (Tree | string)[]];

const joined = (children: readonly (Tree | string)[]): (Tree | string)[] =>
  children.reduce<(Tree | string)[]>((sum, child) => {
    const last = sum.at(-1);
    if (typeof child === 'string' && typeof last === 'string') sum[sum.length - 1] = last + child;
    else if (child !== '') sum.push(child);
    return sum;
  }, []);
const treeOf = ({ name, attributes, children }: XmlElement): Tree => [
  name,
  attributes,
  joined(children.map((child) => (typeof child === 'string' ? child : treeOf(child)))),
];

/**
 * The parsed element of a text, in chunks of that many characters; null if it is invalid or continues behind the
 * element.
 */
function ours(text: string, chars: number): Tree | null {
  const reader = new ElementReader(0);
  let taken = 0;
  for (let at = 0; at < text.length; at += chars) {
    const chunk = text.slice(at, at + chars);
    const here = reader.consume(chunk, 0);
    taken += here;
    if (here < chunk.length) break;
  }
  return reader.fault === null && reader.root !== null && taken === text.length ? treeOf(reader.root) : null;
}

/** The result of another strict parser, without constructs that a block refuses. */
function theirs(text: string): Tree | null {
  const parser = new SaxesParser({ xmlns: false, position: false, fragment: false });
  const open: [string, Record<string, string>, (Tree | string)[]][] = [];
  let root: Tree | null = null;
  let refused = false;
  const refuse = (): void => {
    refused = true;
  };
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('processinginstruction', refuse);
  parser.on('opentag', ({ name, attributes }) => {
    open.push([name, { ...attributes }, []]);
  });
  const say = (said: string): void => {
    if (root === null) open.at(-1)?.[2].push(said);
    else refuse();
  };
  parser.on('text', say);
  parser.on('cdata', say);
  parser.on('comment', () => {
    if (root !== null) refuse();
  });
  parser.on('closetag', () => {
    const [name, attributes, children] = open.pop() ?? ['', {}, []];
    const tree: Tree = [name, attributes, joined(children)];
    if (open.length === 0) root = tree;
    else open.at(-1)?.[2].push(tree);
  });
  parser.write(text).close();
  return refused ? null : root;
}

const PIECES = [
  '<a>',
  '</a>',
  '<a/>',
  '<a />',
  '<a\n>',
  '</a >',
  '<b c="d">',
  '</b>',
  '<b c=\'d\' e="&lt;&#65;&#x42;"/>',
  '<b c="1" c="2"/>',
  '<b c=d/>',
  '<b c/>',
  '<b c="<"/>',
  '<b c="a\tb\r\nc\rd"/>',
  '<b c="&"/>',
  '<b c = "d"/>',
  '<b c="d"e="f"/>',
  '</a b="c">',
  '</a/>',
  '<ä/>',
  '<1/>',
  '< a>',
  '<>',
  '</>',
  '<',
  '>',
  '&',
  '&lt;',
  '&amp;lt;',
  '&#38;amp;',
  '&gt;',
  '&quot;',
  '&apos;',
  '&nbsp;',
  '&#65;',
  '&#x1F600;',
  '&#0;',
  '&#xD800;',
  '&#x110000;',
  '&#;',
  '&#x;',
  '<!-- x -->',
  '<!-- x -- y -->',
  '<!---->',
  '<!--->',
  '<!-->',
  '<!-- x --->',
  '-->',
  '<![CDATA[',
  '<![CDATA[<a>&x;]]>',
  '<![CDATA[]]]]>',
  '<![CDATA[]]>',
  ']]>',
  ']]',
  ']',
  '<!DOCTYPE a>',
  '<!ELEMENT a>',
  '<!',
  '<![',
  '<?x y?>',
  '<?',
  '?>',
  '"',
  "'",
  '=',
  '/',
  ' ',
  '\n',
  '\r',
  '\r\n',
  '\t',
  'text',
  '😀',
  '\u0001',
  '\ufffe',
  '\u0085',
  '\u2028',
] as const;
const inside = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const element = fc.oneof(
  inside.map((text) => `<a>${text}</a>`),
  inside.map((text) => `<a><b c="d">${text}</b>x</a>`),
  inside.map((text) => `<a b="${text}"/>`),
  inside.map((text) => `<a><![CDATA[${text}]]></a>`),
  inside.map((text) => `<a ${text}></a>`),
  inside,
);

test('an element is accepted and decoded as by another strict parser', () => {
  fc.assert(
    fc.property(element, (text) => {
      expect(ours(text, Infinity)).toEqual(theirs(text));
    }),
    { numRuns: 20_000 },
  );
});

test('the result is the same for any chunks', () => {
  fc.assert(
    fc.property(element, fc.integer({ min: 1, max: 5 }), (text, chars) => {
      expect(ours(text, chars)).toEqual(ours(text, Infinity));
    }),
    { numRuns: 5_000 },
  );
});
