// SPDX-License-Identifier: Apache-2.0
import type { ModelCall, ToolAnswer } from '@writ/agent-loop';
import type { Caller, OperationView } from '@writ/contract';
import type { TextDialect } from '@writ/dialects';
import type { ParsedCall } from '../../calls/parsed-call.ts';
import { runCall, type CallContext, type CallParts } from './run-call.ts';

const ended = (operation_id: string, result: object): OperationView =>
  ({
    operation_id,
    state: 'committed',
    reasons: [],
    result: { status: 'ok', tx_outcome: 'committed', error: null, reasons: [], result, ...result },
  }) as unknown as OperationView;

/** Runs a call, with the results of the calls that it stands for, by tool. */
async function run(call: Partial<ModelCall>, dialect: TextDialect | null, results: Record<string, object>) {
  const keys: string[] = [];
  const started: string[] = [];
  const parts = {
    parse: (body: unknown) => body as ParsedCall,
    propose: async (_caller: Caller, operationId: string, { tool_id, idempotency_key }: ParsedCall) => {
      keys.push(`${tool_id} ${String(idempotency_key)}`);
      return ended(operationId, results[tool_id] ?? {});
    },
    show: async (_caller: Caller, view: OperationView) => view,
    wait: async () => undefined,
  } as unknown as CallParts;
  const context = {
    caller: {},
    session: { session_id: 'ses', job_id: null },
    run: { run_id: 'run' },
    dialect,
    model: 'm',
    onStarted: (id: string) => started.push(id),
  } as unknown as CallContext;
  const answer = await runCall(
    parts,
    context,
    { id: 'c', tool_id: 'shell.run', args: {}, ...call },
    { round: 1, index: 2 },
    new AbortController().signal,
  );
  return { answer: answer as ToolAnswer, keys, started };
}

const LINE = `${'x'.repeat(99)}\n`;
const long = (lines: number): object => ({ result: { exit_code: 0, output: LINE.repeat(lines), truncated_bytes: 0 } });

it.each([
  ['is too long', long(1_000), 28_000, 100_000, 1_000],
  [
    'was cut by its tool',
    { result: { output: `a\n\n[output cut: 98 more bytes]`, truncated_bytes: 98, output_bytes: 100 } },
    2,
    100,
    null,
  ],
])(
  'a native answer whose output %s is JSON, and says how much there was',
  async (_what, result, shown, total, lines) => {
    const { answer } = await run({}, null, { 'shell.run': result });
    const { result: told } = JSON.parse(answer.text) as { result: { output: string; cut: unknown } };
    expect(told.cut).toEqual({
      bytes_shown: shown,
      bytes_total: total,
      lines_shown: Math.ceil(shown / 100),
      lines_total: lines,
    });
    expect(told.output).toContain(`\n… [cut: ${shown} of ${total} bytes`);
    expect(answer.text.length).toBeLessThan(60_000);
  },
);

it('a native answer whose output fits has all of it', async () => {
  const { answer } = await run({}, null, { 'shell.run': long(500) });
  expect(JSON.parse(answer.text)).toMatchObject({ result: { output: LINE.repeat(500) } });
  expect(answer.text).not.toContain('cut');
});

it('an answer that its dialect renders keeps the counts of what was cut', async () => {
  const { answer } = await run({}, 'tools-xml', { 'shell.run': long(1_000) });
  expect(answer.outcome?.result).toMatchObject({
    output: LINE.repeat(280),
    cut: { bytes_shown: 28_000, bytes_total: 100_000, lines_shown: 280, lines_total: 1_000 },
  });
});

it('a native answer names tools as the provider was told', async () => {
  const error = { code: 'file.kind', message: 'it is a file', hint: 'use `fs.read` for a file' };
  const { answer } = await run({ tool_id: 'fs.list' }, null, { 'fs.list': { status: 'error', error } });
  expect(JSON.parse(answer.text)).toMatchObject({ error: { hint: 'use `read_file` for a file' } });
});

it('each of the calls that a written call stands for has a key of its own, and is announced', async () => {
  const { keys, started, answer } = await run(
    { tool_id: 'fs.read', args: { path: '$KARYI{DIR}' }, variables: ['DIR'] },
    'tools-xml',
    {
      'value.get': { result: { value: 'src' } },
      'fs.read': { status: 'error', error: { code: 'file.kind', message: 'a directory', hint: null } },
      'fs.list': { result: { path: 'src', entries: [], truncated: false } },
    },
  );
  expect(keys).toEqual(['value.get run/1/2/value:DIR', 'fs.read run/1/2', 'fs.list run/1/2/list']);
  expect(new Set(started).size).toBe(3);
  expect(answer).toMatchObject({ standing: 'completed', outcome: { result: { entries: [] } } });
});
