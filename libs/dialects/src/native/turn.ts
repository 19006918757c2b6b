// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from '@writ/digest';
import { toolIdOf } from '../aliases/native.ts';
import type { DialectParser, Parsed, Stop } from '../dialect.ts';
import { Collected } from '../text/parse-collector.ts';
import { isObject } from '../text/read-json.ts';
import { quoted } from '../text/truncate.ts';
import { CallArguments } from './call-arguments.ts';
import { BodyReader, type FrameReader } from './read-body.ts';

/** Ids come from the provider: they are returned in JSON and never become part of a line. */
const ID = /^[\x21-\x7e]+$/;
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** A call that is still arriving. */
export interface NativeCall {
  id: string;
  name: string;
  readonly args: CallArguments;
  /** why it doesn't run, whatever its arguments */
  problem?: string;
}

/** A new call, with the arguments that are present already. */
export function newCall(id: string, name: string, args?: JsonValue): NativeCall {
  const call: NativeCall = { id, name, args: new CallArguments() };
  call.args.add(args);
  return call;
}

/** A response of a provider as it arrives; each provider's reader fills it. */
export class NativeTurn {
  readonly #collected = new Collected(ID);
  readonly #calls: NativeCall[] = [];
  #failed = false;
  /** null until the provider reports why it stopped: a response without that was interrupted */
  stop: Stop | null = null;

  text(text: JsonValue | undefined): void {
    if (typeof text === 'string') this.#collected.text(text);
  }

  /** Calls keep the order in which they are added. */
  add(call: NativeCall): NativeCall {
    this.#calls.push(call);
    return call;
  }

  warn(message: string): void {
    this.#collected.problem('warning', message, { at: this.#calls.length });
  }

  fail(message: string): void {
    this.#failed = true;
    this.#collected.problem('protocol', message, { at: this.#calls.length });
  }

  newText(): string {
    return this.#collected.newText();
  }

  parsed(): Parsed {
    if (this.stop === null && !this.#failed)
      this.fail('the answer ended before the provider said why it stopped: none of its calls runs');
    if (this.stop === 'tool_use' && this.#calls.length === 0 && !this.#failed)
      this.fail('the provider says that the model called a tool, and no call can be read: nothing runs');
    this.#calls.forEach((call, at) => {
      this.#call(call, at);
    });
    return this.#collected.parsed(this.stop);
  }

  #call({ id, name, args: given, problem }: NativeCall, at: number): void {
    const written = { id: id === '' ? `call_${at + 1}` : id, name, at };
    if (!this.#collected.claimId(written)) return;
    if (problem !== undefined) return this.#collected.call(written, { problem });
    if (!NAME.test(name)) return this.#collected.call(written, { problem: `there is no tool ${quoted(name)}` });
    const args = given.read();
    if ('problem' in args)
      return this.#collected.call(written, { problem: `the arguments of ${quoted(name)} ${args.problem}` });
    this.#collected.call(written, { tool_id: toolIdOf(name), args: args.args });
  }
}

/** Adds a provider's document to a turn. */
export type ReadFrame = (turn: NativeTurn, value: { readonly [key: string]: JsonValue }, whole: boolean) => void;

/** A parser of a provider's responses; `begin` makes a reader with the state of one response's stream. */
export function nativeParser(begin: () => ReadFrame): DialectParser {
  const turn = new NativeTurn();
  const read = begin();
  const to: FrameReader = {
    frame: (value, whole) => {
      if (isObject(value)) read(turn, value, whole);
      else turn.fail('a document of the answer is no JSON object');
    },
    unreadable: (problem) => {
      turn.fail(problem);
    },
  };
  const body = new BodyReader(to);
  return {
    push: (chunk) => {
      body.push(chunk);
      return turn.newText();
    },
    end: () => {
      body.end();
      return turn.parsed();
    },
  };
}

type Members = { readonly [key: string]: JsonValue };
const NOTHING: Members = {};

/** Members that a provider may omit or set to null. */
export const objectOf = (value: JsonValue | undefined): Members => (isObject(value) ? value : NOTHING);
export const listOf = (value: JsonValue | undefined): readonly Members[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).map(objectOf) : [];
/** The calls of a response. Another value in place of their list may have contained calls, so it fails the response. */
export function callsOf(turn: NativeTurn, value: JsonValue | undefined): readonly Members[] {
  const isList = value === undefined || value === null || Array.isArray(value);
  if (!isList) turn.fail('the calls of the answer are no list: none of them runs');
  return listOf(value);
}
export const stringOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/**
 * Reports an error document, which a provider may send instead of a response or within a stream. Returns whether it was
 * one.
 */
export function reportError(turn: NativeTurn, { error }: Members): boolean {
  if (error === undefined || error === null) return false;
  turn.fail(
    `the provider answered with an error: ${quoted(stringOf(objectOf(error)['message']) || JSON.stringify(error))}`,
  );
  return true;
}
