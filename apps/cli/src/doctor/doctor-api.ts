// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../http/client.ts';
import { Broken, NotMade } from './finding.ts';

/** An answer as it came. All of it is attacker-controlled. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** the fault code of a problem, or of the error in the result of a call; null without one */
  readonly code: string | null;
}

/** An answer in words, for evidence. */
export const inWords = ({ status, code }: Answer): string => `${String(status)}${code === null ? '' : ` ${code}`}`;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Longer than any call of a check waits. */
const ANSWER_MS = 40_000;
/** A tenant of the examination uses up its rate for moments at most. */
const AGAIN_MAX = 3;
const AGAIN_MS = 1_000;

/** The HTTP API with one key, whose refusals are answers and no errors. */
export class DoctorApi {
  readonly client: Client;
  readonly #signal: AbortSignal;

  /** @param signal ends every request, with the time of the whole examination */
  constructor(client: Client, signal: AbortSignal) {
    this.client = client;
    this.#signal = signal;
  }

  /** The same server, with another key. */
  as(key: string): DoctorApi {
    return new DoctorApi(this.client.as(key), this.#signal);
  }

  /** The same key with another signal, for what follows after the examination. */
  until(signal: AbortSignal): DoctorApi {
    return new DoctorApi(this.client, signal);
  }

  /**
   * Asks again where the rate of the tenant was used up: nothing happened then.
   * @throws CliError `http` without an answer
   */
  async ask(method: Method, path: string, body?: unknown): Promise<Answer> {
    for (let again = 0; ; again += 1) {
      const answer = await this.#askOnce(method, path, body);
      if (answer.code !== 'rate.limited' || again === AGAIN_MAX) return answer;
      await sleep(AGAIN_MS, undefined, { signal: this.#signal });
    }
  }

  async #askOnce(method: Method, path: string, body: unknown): Promise<Answer> {
    const response = await this.client.answer(path, {
      method,
      body,
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, code: codeIn(text) };
  }

  get(path: string): Promise<Answer> {
    return this.ask('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.ask('POST', path, body);
  }

  /**
   * The object of an answer that has to be a success, since the check builds on it.
   * @throws NotMade with the answer
   */
  async must(method: Method, path: string, body?: unknown): Promise<JsonObject> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 300) throw new NotMade(`${method} ${path.split('?')[0] ?? ''} answered ${inWords(answer)}`);
    return objectOf(answer);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * An answer that has to be a refusal with one of these fault codes.
 * @throws Broken with `evidence` for a success, and NotMade for any other answer: an outage is no refusal
 */
export function demandRefused(answer: Answer, codes: readonly string[], evidence: string): void {
  if (answer.status < 300 && answer.code === null) throw new Broken(`${evidence}: ${inWords(answer)}`);
  if (!codes.includes(answer.code ?? ''))
    throw new NotMade(`an answer is neither a success nor ${codes.join(' or ')}: ${inWords(answer)}`);
}

/** The object that an answer is. @throws NotMade for anything else */
export function objectOf({ text }: Pick<Answer, 'text'>): JsonObject {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotMade('an answer is no JSON object: is this a Writ of the same version?');
  return value as JsonObject;
}

/** A member that has to be an object; `{}` where it is something else, so that what is expected in it is missing. */
export const memberOf = (value: JsonObject, name: string): JsonObject => {
  const member = value[name];
  return typeof member === 'object' && member !== null ? (member as JsonObject) : {};
};

/** A member that has to be a text; empty where it is something else. */
export const textIn = (value: JsonObject, name: string): string => {
  const member = value[name];
  return typeof member === 'string' ? member : '';
};

/** A member that has to be a number. @throws NotMade where it is something else, since no bound holds for that */
export const numberIn = (value: JsonObject, name: string): number => {
  const member = value[name];
  if (typeof member !== 'number') throw new NotMade(`an answer has no number \`${name}\``);
  return member;
};

/** The objects of a list in an answer. */
export const itemsOf = (value: JsonObject, name = 'items'): readonly JsonObject[] => {
  const items = value[name];
  return Array.isArray(items) ? (items as JsonObject[]) : [];
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Evidence quotes codes, so a text that is none, such as a key that a server echoes, must not pass for one. */
const CODE = /^[a-z_]{1,40}(?:[.][a-z_]{1,40})?$/;

function codeIn(text: string): string | null {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return null;
  const code = textIn(value as JsonObject, 'code') || textIn(memberOf(value as JsonObject, 'error'), 'code');
  if (code === '') return null;
  return CODE.test(code) ? code : 'an unknown fault';
}
