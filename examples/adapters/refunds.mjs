// SPDX-License-Identifier: Apache-2.0
// Two functions of your own, which the examples of all frameworks share.
import { appendFileSync } from 'node:fs';
import { Writ } from '@writ/client';

const schemaOf = (properties) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Your functions, by the names that the model calls them by. */
export const tools = {
  refund: {
    toolId: 'billing.refund',
    description: 'Refunds a customer.',
    parameters: schemaOf({ cents: { type: 'integer', minimum: 1 } }),
    run: async ({ cents }) => {
      appendFileSync('refunds.txt', `${cents}\n`);
      return { refunded: cents };
    },
  },
  close_account: {
    toolId: 'billing.close',
    description: "Closes a customer's account.",
    parameters: schemaOf({ customer: { type: 'string' } }),
    run: async ({ customer }) => {
      appendFileSync('refunds.txt', `closed ${customer}\n`);
      return { closed: customer };
    },
  },
};

export const writ = new Writ({ url: process.env.WRIT_URL, apiKey: process.env.WRIT_AGENT_KEY });

/** `WRIT_TOKEN` names a capability token of several, and `WRIT_MAX_AUTONOMY=soft_gate` holds each call for a person. */
const { WRIT_TOKEN, WRIT_MAX_AUTONOMY } = process.env;
export const options = { fields: { capability_token_id: WRIT_TOKEN, max_autonomy: WRIT_MAX_AUTONOMY } };
