// SPDX-License-Identifier: Apache-2.0
// Rules for sentences of documents: their length, the width of lines, and private words.

/** The limit of words in a sentence; the guide for writers recommends 25. */
export const SENTENCE_WORDS_MAX = 30;
/** The width for formatters of code and documents. */
export const LINE_CHARACTERS_MAX = 120;

/** Private names and phrases that have a common synonym. Each is wrong in any sentence. */
const PRIVATE_WORDS = [
  'door',
  'doors',
  'ear',
  'ears',
  'Patience',
  'Places',
  'leaveAtEnd',
  'PermitDesk',
  'Ringer',
  'RunVoice',
  'OwnTime',
  'Readmission',
  'TenantBox',
  'ValueBox',
  'ReceiptBook',
  'PolicyShelf',
  'ShellBook',
  'LaidOut',
  'has no say',
  'have no say',
  'stands back',
  'stand back',
  'a yes',
  'the yes',
  'anew',
  'kept ready',
  'the whole output',
  'ways out',
];

const FENCED = /^( *)(`{3,})[^\n]*\n[^]*?^\1\2 *$/gm;
const GENERATED = /<!-- generated: [^]*?<!-- end of generated -->/g;
const COMMENT = /<!--[^]*?-->/g;
/** An item of a list that names tests: `` `FILE.spec.ts`: "name", "name" ``. Names of tests are quotations. */
const TESTS = /^ *- `[^`\s]+\.(?:spec|contract)\.ts`: "[^]*?(?=\n *- |\n *\n|$(?!\n))/gm;

/** A violation in a document: the rule, and the text. */
export interface StyleProblem {
  readonly rule: 'sentence' | 'line' | 'word';
  readonly text: string;
}

/** The text that people wrote in sentences: without code blocks, generated parts, indented code and names of tests. */
function proseOf(document: string): string {
  return document
    .replaceAll(FENCED, '')
    .replaceAll(GENERATED, '')
    .replaceAll(COMMENT, '')
    .replaceAll(TESTS, '')
    .replaceAll(/^(?: {4}|\t)(?! *(?:[-*]|\d+\.) ).*$/gm, '');
}

/** Paragraphs, list items, table cells and headings, each as one line. */
function blocksOf(prose: string): readonly string[] {
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=\|)|\n(?=#)/)
    .flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]))
    .map((block) => block.replaceAll(/\s+/g, ' ').trim());
}

/** Sentences of a block. Code counts as one word, and a link counts as its text. */
function sentencesOf(block: string): readonly string[] {
  return block
    .replace(/^(?:[-*]|\d+\.|#+) /, '')
    .replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .split(/(?<=[.!?])["')]*\s+(?=\S)/);
}

const termsIn = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Sentences of a document with too many words. */
export const longSentences = (document: string): readonly StyleProblem[] =>
  blocksOf(proseOf(document))
    .flatMap(sentencesOf)
    .filter((sentence) => termsIn(sentence) > SENTENCE_WORDS_MAX)
    .map((text) => ({ rule: 'sentence', text }));

/** Lines that are too wide and could be broken: a wide link or code is allowed. */
export const wideLines = (document: string): readonly StyleProblem[] =>
  document
    .replaceAll(FENCED, '')
    .replaceAll(GENERATED, '')
    .split('\n')
    .filter((line) => line.length > LINE_CHARACTERS_MAX && !/^(?: {4}|\t)/.test(line))
    .filter((line) =>
      /\s/.test(
        line
          .trim()
          .replaceAll(/\[[^\]]*\]\([^)]*\)|`[^`]*`/g, 'x')
          .slice(0, LINE_CHARACTERS_MAX),
      ),
    )
    .filter((line) => line.replaceAll(/\]\([^)]*\)/g, ']').length > LINE_CHARACTERS_MAX)
    .map((text) => ({ rule: 'line', text }));

/** Private words in sentences. */
export const privateWords = (document: string): readonly StyleProblem[] => {
  const text = blocksOf(proseOf(document)).flatMap(sentencesOf).join('\n');
  return PRIVATE_WORDS.filter((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text)).map((word) => ({
    rule: 'word',
    text: word,
  }));
};

/** All violations in a document. */
export const styleProblems = (document: string): readonly StyleProblem[] => [
  ...longSentences(document),
  ...wideLines(document),
  ...privateWords(document),
];
