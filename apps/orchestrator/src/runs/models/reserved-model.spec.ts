// SPDX-License-Identifier: Apache-2.0
import { TranscriptModel, type Conversation } from '@writ/agent-loop';
import { currencyProblem } from './models-file.ts';
import { maxCostOf, maxUsageOf, ReservedModel, type ReplyBound } from './reserved-model.ts';

const conversation: Conversation = {
  system: 'be kind',
  messages: [{ role: 'user', text: 'ä'.repeat(500) }],
  tools: [],
};
const prices = { input: 1_000_000, cached: 0, output: 2_000_000 };

test('the most that a reply may use and cost counts every byte that is sent and the longest reply', () => {
  const bytes = Buffer.byteLength(JSON.stringify(conversation));
  expect(bytes).toBeGreaterThan(1_000);
  expect(maxUsageOf(conversation, 10)).toEqual({ input_tokens: bytes, output_tokens: 10 });
  expect(maxCostOf(maxUsageOf(conversation, 10), prices)).toBe(bytes + 20);
  expect(maxCostOf(maxUsageOf(conversation), prices)).toBe(bytes + 64_000);
});

test('a model is not called if the budget is insufficient', async () => {
  const transcript = {
    model: 't',
    turns: [{ text: 'hello', calls: [], stop: 'end' }],
  } as unknown as ConstructorParameters<typeof TranscriptModel>[0];
  const reserved: ReplyBound[] = [];
  const model = (may: boolean) =>
    new ReservedModel(new TranscriptModel(transcript, 0), { replyTokensMax: 1 }, async (most) => {
      reserved.push(most);
      if (!may) throw new Error('no room');
    });
  await expect(model(false).reply(conversation, new AbortController().signal).next()).rejects.toThrow('no room');
  expect(reserved).toEqual([maxUsageOf(conversation, 1)]);
});

test('a cost limit needs one currency; models without prices are ignored', () => {
  expect(
    currencyProblem([
      { prices, currency: 'EUR' },
      { prices, currency: 'EUR' },
      { prices: null, currency: 'USD' },
    ]),
  ).toBeNull();
  expect(
    currencyProblem([
      { prices, currency: 'EUR' },
      { prices, currency: null },
    ]),
  ).toContain('EUR, none that is named');
});
