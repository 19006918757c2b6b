// SPDX-License-Identifier: Apache-2.0
import { costOf, Model, type Conversation, type ModelDelta, type ModelTurn, type Prices } from '@writ/agent-loop';

/** What a reply is reckoned with where nobody configured its bound: more than providers write unless they are asked to. */
const REPLY_TOKENS = 32_000;

/** A model that is asked once what its reply may cost is reserved; each asking again reserves anew, in place of the last. */
export class ReservedModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #of: { readonly prices: Prices; readonly replyTokensMax: number | undefined };
  readonly #reserve: (cost: number) => Promise<void>;

  /** @param reserve rejects where there is no room: the model isn't asked then */
  constructor(model: Model, of: { readonly prices: Prices; readonly replyTokensMax: number | undefined }, reserve: (cost: number) => Promise<void>) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#of = of;
    this.#reserve = reserve;
  }

  override async* reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    await this.#reserve(mostCost(conversation, this.#of));
    return yield* this.#model.reply(conversation, signal);
  }
}

/** The most that a reply can cost. A token is at least a byte of what is sent, so bytes are never too few; nothing counts as cached. */
export function mostCost(conversation: Conversation, { prices, replyTokensMax = REPLY_TOKENS }: { readonly prices: Prices; readonly replyTokensMax: number | undefined }): number {
  const input_tokens = Buffer.byteLength(JSON.stringify(conversation));
  return costOf({ input_tokens, cached_tokens: 0, output_tokens: replyTokensMax }, { ...prices, input: Math.max(prices.input, prices.cached) });
}
