// SPDX-License-Identifier: Apache-2.0
//
// A model that calls tools in the text of its replies. The model itself receives no tools and replies in text alone.
// Its dialect parses the text as it streams, and renders the answers to its calls. INVARIANT (one action): past this
// point a call is the same in every dialect.
import {
  parserOf,
  renderAnswers,
  type Answer,
  type DialectCall,
  type DialectParser,
  type Outcome,
  type Parsed,
  type TextDialect,
} from '@writ/dialects';
import { Model, type Conversation, type Message, type ModelCall, type ModelDelta, type ModelTurn } from './model.ts';

/** Replaces a missing id of a malformed call; no parsed id contains this character. */
const NO_ID = '?';

/** Wraps another model, in a dialect of text. */
export class TextModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #dialect: TextDialect;

  constructor(model: Model, dialect: TextDialect) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#dialect = dialect;
  }

  override async *reply(
    { system, messages }: Conversation,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const stream = this.#model.reply({ system, messages: asText(this.#dialect, messages), tools: [] }, signal);
    const parser = parserOf(this.#dialect);
    let written = '';
    let emittedLength = 0;
    for (;;) {
      const next = await stream.next();
      if (next.done) {
        const turn = turnOf(this.#parsed(parser, written, next.value), next.value);
        if (turn.text.length > emittedLength) yield { kind: 'text', text: turn.text.slice(emittedLength) };
        for (const call of turn.calls) yield { kind: 'call', call };
        return turn;
      }
      if (next.value.kind !== 'text') continue;
      written += next.value.text;
      const text = parser.push(next.value.text);
      emittedLength += text.length;
      if (text !== '') yield { kind: 'text', text };
    }
  }

  /** The whole reply counts: a provider may join its pieces in another way than it streamed them. */
  #parsed(parser: DialectParser, written: string, { text }: ModelTurn): Parsed {
    if (written === text) return parser.end();
    const anew = parserOf(this.#dialect);
    anew.push(text);
    return anew.end();
  }
}

function turnOf(
  parsed: Parsed,
  { text: written, stop, usage, calls: native, problems: theirs = [] }: ModelTurn,
): ModelTurn {
  const [isUnreadable, notes] = [
    parsed.problems.some(({ level }) => level === 'protocol'),
    parsed.problems.filter(({ level }) => level === 'warning'),
  ];
  const calls = isUnreadable ? [] : [...inOrder(parsed), ...native.map(nativeCall)];
  const problems = [
    ...theirs,
    ...(isUnreadable ? parsed.problems.filter(({ level }) => level !== 'warning').map(({ message }) => message) : []),
  ];
  return {
    text: parsed.text,
    written,
    calls,
    stop: stop === 'length' || stop === 'refusal' ? stop : calls.length > 0 ? 'tool_use' : 'end',
    ...(problems.length === 0 ? {} : { problems }),
    ...(notes.length === 0 ? {} : { notes: notes.map(({ message }) => message) }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Calls, and malformed calls, in the order of the text. */
function inOrder({ calls, problems }: Parsed): ModelCall[] {
  const unread = problems
    .filter(({ level }) => level === 'call')
    .map(({ at, call_id, name, message }) => ({
      at,
      call: {
        id: call_id ?? NO_ID,
        tool_id: name ?? '',
        args: {},
        problem: message,
        ...(name === null ? {} : { name }),
      },
    }));
  return [...calls.map((call) => ({ at: call.at, call: callOf(call) })), ...unread]
    .sort((a, b) => a.at - b.at)
    .map(({ call }) => call);
}

const callOf = ({ id, name, tool_id, args, mode, show, variables }: DialectCall): ModelCall => ({
  id,
  tool_id,
  args: { ...args },
  name,
  ...(mode === 'run' ? {} : { mode }),
  ...(variables === undefined ? {} : { variables: [...variables] }),
  ...(Object.keys(show).length === 0 ? {} : { show: showOf(show) }),
});

const showOf = ({ warnings, ...show }: DialectCall['show']): ModelCall['show'] => ({
  ...show,
  ...(warnings === undefined ? {} : { warnings: [...warnings] }),
});

/** A call in the provider's native form, although no tool was offered. */
const nativeCall = ({ id, tool_id }: ModelCall): ModelCall => ({
  id,
  tool_id,
  args: {},
  name: tool_id,
  problem: 'calls of this conversation are written in the text of a reply: this one was not run',
});

type ToolMessage = Extract<Message, { role: 'tool' }>;

/** The conversation as text: replies unchanged, and the answers to their calls as the dialect renders them. */
function asText(dialect: TextDialect, messages: readonly Message[]): Message[] {
  const words: Message[] = [];
  let answers: ToolMessage[] = [];
  const flushAnswers = (): void => {
    words.push(
      ...renderAnswers(dialect, answers.map(answerOf)).map(({ role, content }): Message => ({
        role: role === 'system' ? 'system' : 'user',
        text: String(content),
      })),
    );
    answers = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      answers.push(message);
      continue;
    }
    flushAnswers();
    words.push(
      message.role === 'assistant' ? { role: 'assistant', text: message.written ?? message.text, calls: [] } : message,
    );
  }
  flushAnswers();
  return words;
}

const answerOf = (message: ToolMessage): Answer => ({
  call_id: message.call_id === NO_ID ? null : message.call_id,
  name: message.name ?? message.tool_id,
  tool_id: message.tool_id,
  show: message.show ?? {},
  outcome: outcomeOf(message),
});

/** An answer of the loop itself has no result, and its error code follows from its status. */
function outcomeOf({ outcome, standing, text }: ToolMessage): Outcome {
  if (outcome !== undefined) return { standing, ...outcome };
  if (standing === 'completed') return { standing, result: text, error: null };
  return {
    standing,
    result: null,
    error: standing === 'queued' ? null : { code: CODES[standing] ?? 'args.invalid', message: text, hint: null },
  };
}

const CODES: Partial<Record<ToolMessage['standing'], string>> = { held: 'approval.pending', cancelled: 'cancelled' };
