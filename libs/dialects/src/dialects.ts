// SPDX-License-Identifier: Apache-2.0
import { answerInWords } from './aliases/words.ts';
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
import { bounded } from './text/bounded-parser.ts';
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
  /** whether calls run one after another; otherwise calls with disjoint resources may run concurrently */
  readonly sequential: boolean;
}

/** The functions of each dialect, one row each. */
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

/** A parser for one output of a model, as it streams. */
export const parserOf = (dialect: DialectName): DialectParser => bounded(DIALECT[dialect].parser());

/**
 * Parses an output: text for people, canonical calls, and problems. Attacker-controlled; never throws. For the
 * providers' dialects it is the body of their response, whole or streamed.
 */
export function parse(dialect: DialectName, output: string): Parsed {
  const parser = parserOf(dialect);
  parser.push(output);
  return parser.end();
}

/** Answers whether calls of one output run one after another, in the order of its text. */
export const isSequential = (dialect: DialectName): boolean => DIALECT[dialect].sequential;

/** The prompt about a model's tools: exactly those that its token grants. */
export const prompt = (dialect: DialectName, offer: Offer): Prompt => DIALECT[dialect].prompt(offer);

/** The answer to a call that didn't run. */
const notRun = (message: string): Outcome => ({
  standing: 'failed',
  result: null,
  error: { code: 'args.invalid', message, hint: null },
});
const QUEUED: Outcome = { standing: 'queued', result: null, error: null };

/** Calls and problems in the order of the output. */
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
      answer: { call_id, name, tool_id: null, show: {}, outcome: notRun(message) },
    }));
  return [...ofCalls, ...ofProblems].sort((a, b) => a.at - b.at).map(({ answer }) => answer);
}

/** Renders existing answers, in their order. Errors name tools and arguments as the dialect does. */
export const renderAnswers = (dialect: DialectName, answers: readonly Answer[]): RenderedMessage[] =>
  DIALECT[dialect].render(answers.map((answer) => answerInWords(dialect, answer)));

/**
 * The message for a model about its output: the outcome of each call by its id, `queued` for one without an outcome
 * yet, and each problem as a failed call. No output of a tool can be read as syntax of any dialect.
 */
export const render = (
  dialect: DialectName,
  output: Pick<Parsed, 'calls' | 'problems'>,
  outcomes: ReadonlyMap<string, Outcome>,
): RenderedMessage[] => renderAnswers(dialect, answersOf(output, outcomes));
