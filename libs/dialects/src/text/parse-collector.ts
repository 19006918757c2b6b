// SPDX-License-Identifier: Apache-2.0
import { DIALECT_LIMITS } from '../limits.ts';
import type { DialectCall, Parsed, Problem, ProblemLevel, Stop } from '../dialect.ts';
import type { Resolved } from '../aliases/alias.ts';
import { idLike, quoted } from './truncate.ts';

/** The known attributes of a call or problem while it is parsed. */
export interface ProblemContext {
  readonly call_id?: string | null;
  readonly name?: string | null;
  readonly at: number;
}

/** A call as written in the output. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly at: number;
}

/** Collects text, calls and problems of one output, within the limits, each call once. */
export class Collected {
  readonly #text: string[] = [];
  /** pieces of text that were returned already */
  #returned = 0;
  readonly #calls: DialectCall[] = [];
  readonly #problems: Problem[] = [];
  readonly #ids = new Set<string>();
  readonly #idPattern: RegExp;
  readonly #repeated: ProblemLevel;

  /** `repeated`: how a duplicate id is reported; the first call keeps it in any case. */
  constructor(idPattern: RegExp, repeated: ProblemLevel = 'call') {
    this.#idPattern = idPattern;
    this.#repeated = repeated;
  }

  /** Adds text for people. */
  text(text: string): void {
    if (text !== '') this.#text.push(text);
  }

  /** The text since the last call of this method. */
  newText(): string {
    const text = this.#text.slice(this.#returned).join('');
    this.#returned = this.#text.length;
    return text;
  }

  problem(level: ProblemLevel, message: string, { call_id = null, name = null, at }: ProblemContext): void {
    if (this.#problems.length >= DIALECT_LIMITS.problems) return;
    const full = this.#problems.length === DIALECT_LIMITS.problems - 1;
    this.#problems.push(
      full
        ? {
            level: 'warning',
            message: `more than ${DIALECT_LIMITS.problems} problems: the rest isn't told`,
            call_id: null,
            name: null,
            at,
          }
        : { level, message, call_id, name, at },
    );
  }

  /** Whether further input can't change the result: the maximum of calls and problems is reached. */
  get isFull(): boolean {
    return this.#calls.length === DIALECT_LIMITS.calls && this.#problems.length >= DIALECT_LIMITS.problems;
  }

  /** Answers whether the id may be used for a call, and reports a problem if not. */
  claimId({ id, name, at }: WrittenCall): boolean {
    const fits = id.length <= DIALECT_LIMITS.idChars && this.#idPattern.test(id);
    const about = { call_id: fits ? id : idLike(id), name, at };
    if (!fits) {
      this.problem(
        'call',
        `the id ${quoted(id)} is none that is taken: letters, digits, \`.\`, \`_\`, \`:\` and \`-\`, ${DIALECT_LIMITS.idChars} at most`,
        about,
      );
      return false;
    }
    if (this.#ids.has(id)) {
      this.problem(
        this.#repeated,
        `the id ${quoted(id)} stands in this output twice: the first call has it, and this one doesn't run`,
        about,
      );
      return false;
    }
    this.#ids.add(id);
    return true;
  }

  /** Adds a call with its meaning, or with the problem. Its id was claimed. */
  call(written: WrittenCall, means: Resolved): void {
    if ('problem' in means)
      return this.problem('call', means.problem, { call_id: written.id, name: written.name, at: written.at });
    if (this.#calls.length === DIALECT_LIMITS.calls)
      return this.problem('call', `one output asks for ${DIALECT_LIMITS.calls} calls at most: this one doesn't run`, {
        call_id: written.id,
        name: written.name,
        at: written.at,
      });
    this.#calls.push({
      id: written.id,
      name: written.name,
      tool_id: means.tool_id,
      args: means.args,
      mode: means.mode ?? 'run',
      show: means.show ?? {},
      ...(means.variables === undefined ? {} : { variables: means.variables }),
      at: written.at,
    });
  }

  /** Withdraws the calls so far: none of them runs, for this reason. Their ids stay used. */
  retract(message: string): void {
    for (const { id, name, at } of this.#calls.splice(0)) this.problem('call', message, { call_id: id, name, at });
  }

  /** Ends the parsing. A protocol problem discards every call, and so does truncation. */
  parsed(stop: Stop | null = null): Parsed {
    if (stop === 'length') {
      for (const { id, name, at } of this.#calls)
        this.problem('call', 'the reply was cut off by its length, so none of its calls runs: write it shorter', {
          call_id: id,
          name,
          at,
        });
    }
    const none = stop === 'length' || this.#problems.some(({ level }) => level === 'protocol');
    const problems = [...this.#problems].sort((a, b) => a.at - b.at);
    return { text: this.#text.join(''), calls: none ? [] : this.#calls, problems, stop };
  }
}
