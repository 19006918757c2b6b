// SPDX-License-Identifier: Apache-2.0
import { costOf, Model, type Conversation, type ModelDelta, type ModelTurn, type Prices } from '@writ/agent-loop';

/** Assumed limit of a reply's tokens where none is configured: more than providers produce by default. */
const REPLY_TOKENS = 32_000;

/** The most that a reply may use. */
export interface ReplyBound {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/**
 * A model that is called only after its reply's usage is reserved. Each further call replaces the previous reservation.
 */
export class ReservedModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #isDue: () => boolean;
  readonly #replyTokensMax: number | undefined;
  readonly #reserve: (most: ReplyBound) => Promise<void>;

  /**
   * @param options `isDue`: whether the next reply has to be reserved; always, where it is absent
   * @param reserve rejects where the budget is insufficient; the model isn't called then
   */
  constructor(
    model: Model,
    options: { readonly isDue?: () => boolean; readonly replyTokensMax: number | undefined },
    reserve: (most: ReplyBound) => Promise<void>,
  ) {
    super();
    this.#isDue = options.isDue ?? (() => true);
    this.name = model.name;
    this.#model = model;
    this.#replyTokensMax = options.replyTokensMax;
    this.#reserve = reserve;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    if (this.#isDue()) await this.#reserve(maxUsageOf(conversation, this.#replyTokensMax));
    return yield* this.#model.reply(conversation, signal);
  }
}

/**
 * The most that a reply can use. A token is at least one byte of the request, so the number of bytes is an upper bound.
 */
export function maxUsageOf(conversation: Conversation, replyTokensMax = REPLY_TOKENS): ReplyBound {
  return { input_tokens: Buffer.byteLength(JSON.stringify(conversation)), output_tokens: replyTokensMax };
}

/** The cost of that usage, if nothing is cached. */
export const maxCostOf = (bound: ReplyBound, prices: Prices): number =>
  costOf({ ...bound, cached_tokens: 0 }, { ...prices, input: Math.max(prices.input, prices.cached) });
