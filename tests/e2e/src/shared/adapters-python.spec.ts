// SPDX-License-Identifier: Apache-2.0
// The example of Pydantic AI, run as it stands against a real Writ and a model on loopback. Skipped by name where
// Python 3.11 or the packages can't be had.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { verifiedReceipt } from '@writ/stack';
import { pydanticAi, pythonExample, type ExampleRun } from '../adapter-examples.ts';
import { AdapterWorld, RAN } from '../adapter-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const python = await pydanticAi();

describe.skipIf(python === null)('the adapter of Pydantic AI (skipped without Python 3.11 and its packages)', () => {
  let made: AdapterWorld;
  const examples: ExampleRun[] = [];
  const newExample = (around?: string): ExampleRun => {
    const example = pythonExample(python!, made, around);
    examples.push(example);
    return example;
  };
  beforeAll(async () => {
    made = await AdapterWorld.make();
  });
  afterAll(async () => {
    for (const { folder } of examples) rmSync(folder, { recursive: true, force: true });
    await made?.end();
  });

  it.concurrent('runs an admitted call once, in a span of the trace of its record', async () => {
    const example = newExample(TRACED);
    expect(await example.run('refund 5', { WRIT_MAX_AUTONOMY: 'autopilot' })).toEqual({ text: `told: ${RAN(5)}` });
    expect(example.effects).toEqual(['5']);
    const [span, ...others] = JSON.parse(readFileSync(join(example.folder, 'spans.json'), 'utf8')) as {
      name: string;
      trace: string;
      attributes: Record<string, string>;
    }[];
    expect([span?.name, others]).toEqual(['execute_tool refund', []]);
    const { record } = await verifiedReceipt(made.stack, made.world, span!.attributes['writ.operation_id']!);
    expect(record.trace_id).toBe(span?.trace);
  });

  it.concurrent('tells the model why a call is refused', async () => {
    const example = newExample();
    const told = await example.run('close c-7', { WRIT_MAX_AUTONOMY: 'autopilot' });
    expect(told).toEqual({ text: expect.stringContaining('[token.tool]') });
    expect(example.effects).toEqual([]);
  });

  it.concurrent.each([
    ['once a person has approved it', 'approve', RAN(7), ['7']],
    ['never where a person has denied it, whatever the framework is told', 'deny', '[approval.denied]', []],
  ] as const)('pauses for a held call, and another process runs it %s', async (_when, verdict, said, effects) => {
    const example = newExample();
    await made.decide(await made.held(example, 'refund 7'), verdict);
    expect(await made.resume(example)).toEqual({ text: expect.stringContaining(said) });
    expect(example.effects).toEqual(effects);
  });
});

/** Keeps the spans of the example. */
const TRACED = `
import json, os, runpy
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
runpy.run_path(os.environ["EXAMPLE"], run_name="__main__")
spans = [
    {"name": span.name, "trace": f"{span.context.trace_id:032x}", "attributes": dict(span.attributes)}
    for span in kept.get_finished_spans()
]
with open("spans.json", "w") as file:
    json.dump(spans, file)
`;
