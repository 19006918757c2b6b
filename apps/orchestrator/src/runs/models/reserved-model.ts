// SPDX-License-Identifier: Apache-2.0
import { costOf, Model, type Conversation, type ModelDelta, type ModelTurn, type Prices } from '@writ/agent-loop';

/**
 * What a reply is reckoned with where nobody configured its bound: more than providers write unless they are asked to.
 */
const REPLY_TOKENS = 32_000;

/** The most that a reply may use. */
export interface ReplyMost {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/**
 * A model that is asked once what its reply may use is reserved; each asking again reserves anew, in place of the last.
 */
export class ReservedModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #replyTokensMax: number | undefined;
  readonly #reserve: (most: ReplyMost) => Promise<void>;

  /** @param reserve rejects where there is no room: the model isn't asked then */
  constructor(model: Model, replyTokensMax: number | undefined, reserve: (most: ReplyMost) => Promise<void>) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#replyTokensMax = replyTokensMax;
    this.#reserve = reserve;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    await this.#reserve(mostUsed(conversation, this.#replyTokensMax));
    return yield* this.#model.reply(conversation, signal);
  }
}

/** The most that a reply can use. A token is at least a byte of what is sent, so bytes are never too few. */
export function mostUsed(conversation: Conversation, replyTokensMax = REPLY_TOKENS): ReplyMost {
  return { input_tokens: Buffer.byteLength(JSON.stringify(conversation)), output_tokens: replyTokensMax };
}

/** What that costs: nothing counts as cached. */
export const mostCost = (most: ReplyMost, prices: Prices): number =>
  costOf({ ...most, cached_tokens: 0 }, { ...prices, input: Math.max(prices.input, prices.cached) });
