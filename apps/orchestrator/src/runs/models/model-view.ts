// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { closed, orNull } from '../../edge/requests/fields.ts';

const Count = Type.Integer({ minimum: 0 });

/** A model as the API shows it: without its key and its address. */
export const ModelView = Type.Object(
  {
    name: Type.String({ description: 'its name for sessions' }),
    provider: Type.Enum(['openai', 'anthropic', 'gemini', 'transcript']),
    model: Type.String({ description: 'its name at the provider' }),
    prices: orNull(
      Type.Object(
        { input: Count, cached: Count, output: Count },
        { ...closed, description: 'millionths of the currency for a million tokens' },
      ),
    ),
    currency: orNull(Type.String()),
    context_tokens_max: orNull(Count),
  },
  closed,
);
export type ModelView = Static<typeof ModelView>;
