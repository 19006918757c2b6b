// SPDX-License-Identifier: Apache-2.0
import { channelsContract } from '../store/channels/channels.contract.ts';
import { FakeChannels } from './fake-channels.ts';

const fake = new FakeChannels();
channelsContract('memory', {
  channels: () => fake.channels,
  messages: () => fake.messages,
  advance: async (ms) => {
    fake.now += ms;
  },
});
