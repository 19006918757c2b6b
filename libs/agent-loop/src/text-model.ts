// SPDX-License-Identifier: Apache-2.0
//
// A model that calls tools in the text of its replies. The model itself is told of no tool and answers in text alone;
// what it writes is read by its dialect as it streams, and what its calls were answered goes back in the dialect's
// words. INVARIANT (one action): past this point a call is the same in every dialect.
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

/** Stands for the id of what looks like a call and has none; no id that is read has this character. */
const NO_ID = '?';

/** Another model, spoken to in a dialect of text. */
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
    const stream = this.#model.reply({ system, messages: inWords(this.#dialect, messages), tools: [] }, signal);
    const parser = parserOf(this.#dialect);
    let written = '';
    let said = 0;
    for (;;) {
      const next = await stream.next();
      if (next.done) {
        const turn = turnOf(this.#parsed(parser, written, next.value), next.value);
        if (turn.text.length > said) yield { kind: 'text', text: turn.text.slice(said) };
        for (const call of turn.calls) yield { kind: 'call', call };
        return turn;
      }
      if (next.value.kind !== 'text') continue;
      written += next.value.text;
      const text = parser.push(next.value.text);
      said += text.length;
      if (text !== '') yield { kind: 'text', text };
    }
  }

  /** The whole reply counts: a provider may join its pieces otherwise than it streamed them. */
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
  const [broken, notes] = [
    parsed.problems.some(({ level }) => level === 'protocol'),
    parsed.problems.filter(({ level }) => level === 'warning'),
  ];
  const calls = broken ? [] : [...inOrder(parsed), ...native.map(unasked)];
  const problems = [
    ...theirs,
    ...(broken ? parsed.problems.filter(({ level }) => level !== 'warning').map(({ message }) => message) : []),
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

/** Calls, and what looks like one and is none, in the order in which they stand. */
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

const callOf = ({ id, name, tool_id, args, mode, show }: DialectCall): ModelCall => ({
  id,
  tool_id,
  args: { ...args },
  name,
  ...(mode === 'run' ? {} : { mode }),
  ...(Object.keys(show).length === 0 ? {} : { show }),
});

/** A call in the provider's own way, though none was offered. */
const unasked = ({ id, tool_id }: ModelCall): ModelCall => ({
  id,
  tool_id,
  args: {},
  name: tool_id,
  problem: 'calls of this conversation are written in the text of a reply: this one was not run',
});

type Told = Extract<Message, { role: 'tool' }>;

/**
 * The conversation as text: replies as they were written, and what their calls were answered as the dialect says it.
 */
function inWords(dialect: TextDialect, messages: readonly Message[]): Message[] {
  const words: Message[] = [];
  let told: Told[] = [];
  const answer = (): void => {
    words.push(
      ...renderAnswers(dialect, told.map(answerOf)).map(({ role, content }): Message => ({
        role: role === 'system' ? 'system' : 'user',
        text: String(content),
      })),
    );
    told = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      told.push(message);
      continue;
    }
    answer();
    words.push(
      message.role === 'assistant' ? { role: 'assistant', text: message.written ?? message.text, calls: [] } : message,
    );
  }
  answer();
  return words;
}

const answerOf = (message: Told): Answer => ({
  call_id: message.call_id === NO_ID ? null : message.call_id,
  name: message.name ?? message.tool_id,
  tool_id: message.tool_id,
  show: message.show ?? {},
  outcome: outcomeOf(message),
});

/** What the loop itself says of a call has no result, and its code is that of what it is. */
function outcomeOf({ outcome, standing, text }: Told): Outcome {
  if (outcome !== undefined) return { standing, ...outcome };
  if (standing === 'completed') return { standing, result: text, error: null };
  return {
    standing,
    result: null,
    error: standing === 'queued' ? null : { code: CODES[standing] ?? 'args.invalid', message: text, hint: null },
  };
}

const CODES: Partial<Record<Told['standing'], string>> = { held: 'approval.pending', cancelled: 'cancelled' };
