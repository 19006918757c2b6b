// SPDX-License-Identifier: Apache-2.0
import { BlocksParser } from './blocks/parse-blocks.ts';
import { promptBlocks } from './blocks/prompt-blocks.ts';
import { renderBlocks } from './blocks/render-blocks.ts';
import type { Answer, DialectName, DialectParser, Parsed, Prompt, RenderedMessage } from './dialect.ts';
import type { Outcome } from './outcome.ts';
import { readAnthropic } from './native/anthropic.ts';
import { readGemini } from './native/gemini.ts';
import { readChat } from './native/openai-chat.ts';
import { readResponses } from './native/openai-responses.ts';
import { promptAnthropic, promptChat, promptGemini, promptResponses } from './native/prompt-native.ts';
import { renderAnthropic, renderChat, renderGemini, renderResponses } from './native/render-native.ts';
import { nativeParser } from './native/turn.ts';
import type { Offer } from './offer.ts';
import { bounded } from './text/bounded.ts';
import { ToolsXmlParser } from './tools-xml/parse-tools-xml.ts';
import { promptToolsXml } from './tools-xml/prompt-tools-xml.ts';
import { renderToolsXml } from './tools-xml/render-tools-xml.ts';
import { YipsParser } from './yips/parse-yips.ts';
import { promptYips } from './yips/prompt-yips.ts';
import { renderYips } from './yips/render-yips.ts';

interface Dialect {
  readonly parser: () => DialectParser;
  readonly render: (answers: readonly Answer[]) => RenderedMessage[];
  readonly prompt: (offer: Offer) => Prompt;
  /** whether calls run one after another; else those that touch nothing in common may run at once */
  readonly sequential: boolean;
}

/** All that a dialect is; one row each. */
const DIALECT: Readonly<Record<DialectName, Dialect>> = {
  blocks: { parser: () => new BlocksParser(), render: renderBlocks, prompt: promptBlocks, sequential: true },
  'tools-xml': {
    parser: () => new ToolsXmlParser(),
    render: renderToolsXml,
    prompt: promptToolsXml,
    sequential: false,
  },
  yips: { parser: () => new YipsParser(), render: renderYips, prompt: promptYips, sequential: true },
  openai: { parser: () => nativeParser(readChat), render: renderChat, prompt: promptChat, sequential: false },
  'openai-responses': {
    parser: () => nativeParser(readResponses),
    render: renderResponses,
    prompt: promptResponses,
    sequential: false,
  },
  anthropic: {
    parser: () => nativeParser(readAnthropic),
    render: renderAnthropic,
    prompt: promptAnthropic,
    sequential: false,
  },
  gemini: { parser: () => nativeParser(readGemini), render: renderGemini, prompt: promptGemini, sequential: false },
};

/** A parser of one output of a model, which may be pushed as it streams. */
export const parserOf = (dialect: DialectName): DialectParser => bounded(DIALECT[dialect].parser());

/**
 * Reads an output: text for people, calls as canonical tools, and all that is wrong. Attacker-controlled; never throws.
 * For the providers' dialects it is the body of their answer, whole or streamed.
 */
export function parse(dialect: DialectName, output: string): Parsed {
  const parser = parserOf(dialect);
  parser.push(output);
  return parser.end();
}

/** Answers whether calls of one output run one after another, in the order of its text. */
export const isSequential = (dialect: DialectName): boolean => DIALECT[dialect].sequential;

/** What a model is told of its tools before it begins: exactly those that its token grants. */
export const prompt = (dialect: DialectName, offer: Offer): Prompt => DIALECT[dialect].prompt(offer);

/** What a call that didn't run answers. */
const unrun = (message: string): Outcome => ({
  standing: 'failed',
  result: null,
  error: { code: 'args.invalid', message, hint: null },
});
const QUEUED: Outcome = { standing: 'queued', result: null, error: null };

/** Calls and problems in the order in which they stand. */
function answersOf(
  { calls, problems }: Pick<Parsed, 'calls' | 'problems'>,
  outcomes: ReadonlyMap<string, Outcome>,
): Answer[] {
  const ofCalls = calls.map(({ id, name, tool_id, show, at }) => ({
    at,
    answer: { call_id: id, name, tool_id, show, outcome: outcomes.get(id) ?? QUEUED },
  }));
  const ofProblems = problems
    .filter(({ level }) => level !== 'warning')
    .map(({ call_id, name, message, at }) => ({
      at,
      answer: { call_id, name, tool_id: null, show: {}, outcome: unrun(message) },
    }));
  return [...ofCalls, ...ofProblems].sort((a, b) => a.at - b.at).map(({ answer }) => answer);
}

/** The same for answers that are at hand, in their order. */
export const renderAnswers = (dialect: DialectName, answers: readonly Answer[]): RenderedMessage[] =>
  DIALECT[dialect].render(answers);

/**
 * What a model is told of its output: the outcome of each call by its id, `queued` for one that has none yet, and each
 * problem as a call that failed. Nothing that a tool said reads as a piece of any dialect.
 */
export const render = (
  dialect: DialectName,
  output: Pick<Parsed, 'calls' | 'problems'>,
  outcomes: ReadonlyMap<string, Outcome>,
): RenderedMessage[] => DIALECT[dialect].render(answersOf(output, outcomes));
