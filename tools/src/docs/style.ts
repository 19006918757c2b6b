// SPDX-License-Identifier: Apache-2.0
// Rules for the sentences of documents: their length, the width of their lines, and words that only insiders know.

/** A sentence of more words is hard to read; the guide for writers asks for 25. */
export const SENTENCE_WORDS_MAX = 30;
/** The width that formatters of code and documents share. */
export const LINE_CHARACTERS_MAX = 120;

/** Names and phrases that the field has other words for. Each is wrong in any sentence. */
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
  'a yes for the session',
  'kept ready',
  'the whole output',
  'ways out',
];

const FENCED = /^( *)(`{3,})[^\n]*\n[^]*?^\1\2 *$/gm;
const GENERATED = /<!-- generated: [^]*?<!-- end of generated -->/g;
const COMMENT = /<!--[^]*?-->/g;

/** A problem of a document: the rule, and the text that breaks it. */
export interface StyleProblem {
  readonly rule: 'sentence' | 'line' | 'word';
  readonly text: string;
}

/** What people wrote in sentences: without code blocks, generated parts and indented code. */
function proseOf(document: string): string {
  return document
    .replaceAll(FENCED, '')
    .replaceAll(GENERATED, '')
    .replaceAll(COMMENT, '')
    .replaceAll(/^(?: {4}|\t)(?! *(?:[-*]|\d+\.) ).*$/gm, '');
}

/** Paragraphs, items of lists, cells of tables and headings, each in one line. */
function blocksOf(prose: string): readonly string[] {
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=\|)|\n(?=#)/)
    .flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]))
    .map((block) => block.replaceAll(/\s+/g, ' ').trim());
}

/** Sentences of a block. Code counts as one word, and a link by its text. */
function sentencesOf(block: string): readonly string[] {
  return block
    .replace(/^(?:[-*]|\d+\.|#+) /, '')
    .replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .split(/(?<=[.!?])["')]*\s+(?=\S)/);
}

const wordsIn = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Sentences of a document that have more words than a reader follows. */
export const longSentences = (document: string): readonly StyleProblem[] =>
  blocksOf(proseOf(document))
    .flatMap(sentencesOf)
    .filter((sentence) => wordsIn(sentence) > SENTENCE_WORDS_MAX)
    .map((text) => ({ rule: 'sentence', text }));

/** Lines that are too wide and could be broken: neither code nor a link reaches beyond the width. */
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

/** Words of this project alone that stand in sentences. */
export const privateWords = (document: string): readonly StyleProblem[] => {
  const text = blocksOf(proseOf(document)).flatMap(sentencesOf).join('\n');
  return PRIVATE_WORDS.filter((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text)).map((word) => ({
    rule: 'word',
    text: word,
  }));
};

/** Everything that is wrong with the sentences of a document. */
export const styleProblems = (document: string): readonly StyleProblem[] => [
  ...longSentences(document),
  ...wideLines(document),
  ...privateWords(document),
];
