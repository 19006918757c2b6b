// SPDX-License-Identifier: Apache-2.0
import { FrameError, REFUSED_AT_MAX, type HostMessage } from '@writ/sandbox';
import { verifyNetworkClosed } from './closed-network.ts';
import { parseAddress, type Address, type AgentOptions } from './options.ts';

/**
 * The steps before an agent sends hello: the greet message, if it waits for one, and a refusal of every canary. The
 * arguments name canaries, and the host may name more before the greet message: a container that was made from a
 * template ahead of time doesn't have them in its arguments.
 */
export class Greeting {
  readonly #refusedAt: Address[];
  readonly #untilClosed: typeof verifyNetworkClosed;
  /** the canaries of the arguments, then those of the host */
  readonly #closedChecks: Promise<unknown>[];
  readonly #greeted = Promise.withResolvers<undefined>();
  /** whether canaries are refused from now on */
  #isOver = false;
  #isGreeted = false;

  constructor({ waitsForGreeting, refusedAt }: AgentOptions, closed: typeof verifyNetworkClosed = verifyNetworkClosed) {
    this.#refusedAt = [...refusedAt];
    this.#untilClosed = closed;
    this.#closedChecks = [closed(refusedAt)];
    // `done` reports the rejection; until then it must not count as unhandled.
    for (const wait of this.#closedChecks) wait.catch(() => undefined);
    if (!waitsForGreeting) this.#finish();
  }

  /**
   * Handles canaries and the greet message; returns false for all other messages, which it ignores. Throws FrameError
   * for canaries that come too late or are too many, and for a second greet message; an Error for a malformed address.
   */
  handle(message: HostMessage): boolean {
    if (message.type === 'greet') this.#greet();
    else if (message.type === 'canaries') this.#add(message.refusedAt);
    else return false;
    return true;
  }

  /** Resolves with the addresses that have refused this container. Rejects where one answers. */
  async done(): Promise<readonly string[]> {
    await Promise.all([this.#greeted.promise, ...this.#closedChecks]);
    // Canaries may have arrived meanwhile.
    await Promise.all(this.#closedChecks);
    return this.#refusedAt.map(({ text }) => text);
  }

  #add(texts: readonly string[]): void {
    if (this.#isOver) throw new FrameError('canaries come before the greeting');
    const addresses = texts.map(parseAddress);
    this.#refusedAt.push(...addresses);
    if (this.#refusedAt.length > REFUSED_AT_MAX) throw new FrameError(`there are more than ${REFUSED_AT_MAX} canaries`);
    const wait = this.#untilClosed(addresses);
    wait.catch(() => undefined);
    this.#closedChecks.push(wait);
  }

  /** A second greet message would come from another host, and both would believe that they alone have the container. */
  #greet(): void {
    if (this.#isGreeted) throw new FrameError('an agent is greeted once');
    this.#isGreeted = true;
    this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    this.#greeted.resolve(undefined);
  }
}
