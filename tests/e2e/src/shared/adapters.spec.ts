// SPDX-License-Identifier: Apache-2.0
// The examples of adapters, run as they stand against a real Writ and a model on loopback: a held call of each
// framework. `adapters.long.spec.ts` has the rest. Skipped by name where the frameworks can't be installed.
import { vi } from 'vitest';
import { AdapterExamples, frameworkPackages } from '../adapter-examples.ts';
import { AdapterWorld, RAN } from '../adapter-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const packages = await frameworkPackages();

describe.skipIf(packages === null)('the adapter of (skipped where npm can not install the frameworks)', () => {
  let examples: AdapterExamples;
  let made: AdapterWorld;
  beforeAll(async () => {
    [examples, made] = await Promise.all([AdapterExamples.prepare(packages!), AdapterWorld.make()]);
  });
  afterAll(async () => {
    examples?.remove();
    await made?.end();
  });

  it.each(['ai', 'openai', 'anthropic', 'openai-agents'])(
    '%s pauses for a held call, and another process runs it once a person has approved it',
    async (name) => {
      const example = examples.of(name, made);
      await made.decide(await made.held(example, 'refund 7'), 'approve');
      expect(await made.resume(example)).toEqual({ text: `told: ${RAN(7)}` });
      expect(example.effects).toEqual(['7']);
    },
  );

  it('langchain interrupts the graph for as long as a call is held, whatever the graph is resumed with', async () => {
    const example = examples.of('langchain', made);
    const run = example.start('refund 8', { WRIT_MAX_AUTONOMY: 'soft_gate' });
    const first = await run.next();
    run.enter();
    expect(await run.next()).toEqual(first);
    expect(example.effects).toEqual([]);
    await made.decide((first as { held: string }).held, 'approve');
    run.enter();
    expect(await run.next()).toEqual({ text: `told: ${RAN(8)}` });
    expect(example.effects).toEqual(['8']);
  });
});
