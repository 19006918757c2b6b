// SPDX-License-Identifier: Apache-2.0
import { FrameError, REFUSED_AT_MAX, type HostMessage } from '@writ/sandbox';
import { untilClosed } from './closed-network.ts';
import { parseAddress, type Address, type AgentOptions } from './options.ts';

/**
 * What must come before an agent says hello: the greeting, where it waits for one, and a refusal of every canary. The
 * arguments name canaries, and so may its host before the greeting: whoever makes a container ahead of time, from a
 * template, doesn't know them.
 */
export class Greeting {
  readonly #refusedAt: Address[];
  readonly #untilClosed: typeof untilClosed;
  /** the canaries of the arguments, then those of the host */
  readonly #waits: Promise<unknown>[];
  readonly #greeted = Promise.withResolvers<undefined>();
  /** no canary is taken any more */
  #isOver = false;
  #isGreeted = false;

  constructor({ waitsForGreeting, refusedAt }: AgentOptions, closed: typeof untilClosed = untilClosed) {
    this.#refusedAt = [...refusedAt];
    this.#untilClosed = closed;
    this.#waits = [closed(refusedAt)];
    // Who waits for it hears why; until then it is no rejection that nobody handles.
    for (const wait of this.#waits) wait.catch(() => undefined);
    if (!waitsForGreeting) this.#end();
  }

  /**
   * Takes canaries and the greeting; answers false for all other messages, which are somebody else's. Throws FrameError
   * for canaries that come too late, or are too many, and for a second greeting; an Error for one that is no address.
   */
  take(message: HostMessage): boolean {
    if (message.type === 'greet') this.#greet();
    else if (message.type === 'canaries') this.#add(message.refusedAt);
    else return false;
    return true;
  }

  /** Resolves with the addresses that have refused this container. Rejects where one answers. */
  async done(): Promise<readonly string[]> {
    await Promise.all([this.#greeted.promise, ...this.#waits]);
    // Those that came meanwhile.
    await Promise.all(this.#waits);
    return this.#refusedAt.map(({ text }) => text);
  }

  #add(texts: readonly string[]): void {
    if (this.#isOver) throw new FrameError('canaries come before the greeting');
    const addresses = texts.map(parseAddress);
    this.#refusedAt.push(...addresses);
    if (this.#refusedAt.length > REFUSED_AT_MAX) throw new FrameError(`there are more than ${REFUSED_AT_MAX} canaries`);
    const wait = this.#untilClosed(addresses);
    wait.catch(() => undefined);
    this.#waits.push(wait);
  }

  /** A second greeting is another host's: what one of the two believes to have alone, both would have. */
  #greet(): void {
    if (this.#isGreeted) throw new FrameError('an agent is greeted once');
    this.#isGreeted = true;
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#greeted.resolve(undefined);
  }
}
