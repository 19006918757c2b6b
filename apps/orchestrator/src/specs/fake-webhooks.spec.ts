// SPDX-License-Identifier: Apache-2.0
import { webhooksContract } from '../store/webhooks/webhooks.contract.ts';
import { FakeHooks } from './fake-webhooks.ts';

const hooks = new FakeHooks();
webhooksContract('memory', {
  webhooks: () => hooks.webhooks,
  deliveries: () => hooks.deliveries,
  advance: async (ms) => {
    hooks.now += ms;
  },
});
