// SPDX-License-Identifier: Apache-2.0
import { DIALECT_LIMITS } from '../limits.ts';
import type { DialectCall, Parsed, Problem, ProblemLevel, Stop } from '../dialect.ts';
import type { Resolved } from '../aliases/alias.ts';
import { idLike, quoted } from './shown.ts';

/** What is known of a call or problem while it is being read. */
export interface About {
  readonly call_id?: string | null;
  readonly name?: string | null;
  readonly at: number;
}

/** A call as it stands in the output. */
export interface Written {
  readonly id: string;
  readonly name: string;
  readonly at: number;
}

/** Gathers text, calls and problems of one output, within the bounds, each call once. */
export class Collected {
  readonly #text: string[] = [];
  /** pieces of text that were told */
  #told = 0;
  readonly #calls: DialectCall[] = [];
  readonly #problems: Problem[] = [];
  readonly #ids = new Set<string>();
  readonly #idPattern: RegExp;
  readonly #repeated: ProblemLevel;

  /** `repeated`: how an id that stands there twice is told; the first call has it in any case. */
  constructor(idPattern: RegExp, repeated: ProblemLevel = 'call') {
    this.#idPattern = idPattern;
    this.#repeated = repeated;
  }

  /** Text for people. */
  text(text: string): void {
    if (text !== '') this.#text.push(text);
  }

  /** The text that came since this was asked last. */
  newText(): string {
    const text = this.#text.slice(this.#told).join('');
    this.#told = this.#text.length;
    return text;
  }

  problem(level: ProblemLevel, message: string, { call_id = null, name = null, at }: About): void {
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

  /** Whether nothing that comes can change what is told: as many calls and problems are there as are taken. */
  get isFull(): boolean {
    return this.#calls.length === DIALECT_LIMITS.calls && this.#problems.length >= DIALECT_LIMITS.problems;
  }

  /** Answers whether the id may be used for a call; says so where not. */
  claims({ id, name, at }: Written): boolean {
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

  /** A call with what it means, or why it means nothing. Its id was claimed. */
  call(written: Written, means: Resolved): void {
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
      at: written.at,
    });
  }

  /** Takes back the calls so far: none of them runs, for this reason. Their ids stay used. */
  retract(message: string): void {
    for (const { id, name, at } of this.#calls.splice(0)) this.problem('call', message, { call_id: id, name, at });
  }

  /** Ends the reading. A protocol problem takes every call with it, and so does an output that was cut off. */
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
