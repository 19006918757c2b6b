// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentMessage } from '@writ/sandbox';
import { vi } from 'vitest';
import { readCounters, UsageReporter } from './usage.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function counters(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe('the counters of a container', () => {
  it('are found in the unified hierarchy', () => {
    counters({
      'cpu.stat': 'usage_usec 1500000\nuser_usec 1\n',
      'memory.peak': '4096\n',
      'memory.events': 'low 0\noom 2\noom_kill 1\n',
    });
    expect(readCounters(root)).toEqual({ cpuMs: 1500, memoryPeakBytes: 4096, kills: 1 });
  });

  it('are found on a kernel without memory.peak', () => {
    counters({ 'cpu.stat': 'usage_usec 0\n', 'memory.current': '8192\n' });
    expect(readCounters(root)).toEqual({ cpuMs: 0, memoryPeakBytes: 8192, kills: 0 });
  });

  it.each(['cpuacct', 'cpu,cpuacct'])('are found in a hierarchy of version 1, at `%s`', (folder) => {
    counters({
      [`${folder}/cpuacct.usage`]: '2500000000\n',
      'memory/memory.max_usage_in_bytes': '4096\n',
      'memory/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
    });
    expect(readCounters(root)).toEqual({ cpuMs: 2500, memoryPeakBytes: 4096, kills: 3 });
  });

  it('are null without a cgroup hierarchy', () => {
    expect(readCounters(root)).toBeNull();
  });
});

describe('an agent that reports usage', () => {
  const EXIT: AgentMessage = { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 };
  let messages: AgentMessage[];
  let counted: ReturnType<typeof readCounters>;
  let reporter: UsageReporter;
  beforeEach(() => {
    vi.useFakeTimers();
    [messages, counted] = [[], { cpuMs: 100, memoryPeakBytes: 1, kills: 0 }];
    reporter = new UsageReporter(
      (message) => messages.push(message),
      () => counted,
    );
  });
  afterEach(() => void vi.useRealTimers());

  it('counts from the first message, reports while a job runs, and last before the exit', () => {
    reporter.onHostMessage({ type: 'data', bytes: Buffer.alloc(0) });
    counted = { cpuMs: 150, memoryPeakBytes: 2, kills: 0 };
    vi.advanceTimersByTime(5_000);
    expect(messages).toEqual([]);
    reporter.onHostMessage({ type: 'job', job: {} as never });
    vi.advanceTimersByTime(500);
    expect(messages).toEqual([{ type: 'usage', cpuMs: 50, memoryPeakBytes: 2, outOfMemory: null }]);
    counted = { cpuMs: 400, memoryPeakBytes: 3, kills: 1 };
    reporter.send(EXIT);
    expect(messages.slice(1)).toEqual([{ type: 'usage', cpuMs: 300, memoryPeakBytes: 3, outOfMemory: true }, EXIT]);
    vi.advanceTimersByTime(5_000);
    expect(messages).toHaveLength(3);
  });

  it('reports before what a job says over a connection, and not again within a moment', () => {
    const said: AgentMessage = { type: 'net_data', channel: 1, bytes: Buffer.from('x') };
    reporter.onHostMessage({ type: 'job', job: {} as never });
    counted = { cpuMs: 130, memoryPeakBytes: 2, kills: 0 };
    for (let times = 0; times < 2; times += 1) reporter.send(said);
    const report = { type: 'usage', cpuMs: 30, memoryPeakBytes: 2, outOfMemory: null };
    expect(messages).toEqual([report, said, said]);
    vi.advanceTimersByTime(20);
    reporter.send(said);
    expect(messages.slice(3)).toEqual([report, said]);
  });

  it('reports nothing without counters', () => {
    counted = null;
    reporter.onHostMessage({ type: 'job', job: {} as never });
    vi.advanceTimersByTime(2_000);
    reporter.send(EXIT);
    expect(messages).toEqual([EXIT]);
  });
});
