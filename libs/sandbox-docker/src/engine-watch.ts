// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { SandboxEventListener } from '@writ/sandbox-host';
import { requestEngine } from './engine-requests.ts';

/** Short enough to resume soon after the engine is back, long enough to cost nothing while it isn't. */
const RECONNECT_MS = 500;
/** An event is a few hundred bytes; a longer line is invalid. */
const LINE_CHARACTERS_MAX = 64 * 1024;
/** Far more than run at a time. */
const REMEMBERED_MAX = 1024;

/**
 * Follows the engine's own events: which of our containers ran out of memory, and whether the engine is reachable.
 * These events come from the kernel, not from the job.
 */
export class EngineWatch {
  readonly #docker: Docker;
  readonly #labels: readonly string[];
  readonly #report: SandboxEventListener;
  readonly #onBack: () => void;
  readonly #outOfMemory = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #stream: Readable | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #lost = false;

  constructor(docker: Docker, labels: readonly string[], report: SandboxEventListener, onBack: () => void) {
    this.#docker = docker;
    this.#labels = labels;
    this.#report = report;
    this.#onBack = onBack;
  }

  /** Starts to follow the events; resolves when the engine has answered, or is found not to answer. */
  async start(): Promise<void> {
    try {
      const asked = this.#docker.getEvents({
        filters: { type: ['container'], event: ['oom'], label: [...this.#labels] },
      }) as Promise<Readable>;
      const stream = await requestEngine(this.#docker, 'tell events', asked, (late) => void late.destroy());
      if (this.#closed) return void stream.destroy();
      this.#follow(stream);
    } catch (error) {
      return this.#again(error instanceof Error ? error : new Error(String(error)));
    }
    if (!this.#lost) return;
    this.#lost = false;
    this.#report({ type: 'engine.back' });
    this.#onBack();
  }

  /**
   * Whether a container has run out of memory. Waits up to `waitMs` for the event, which doesn't arrive before the
   * exit.
   */
  async ranOutOfMemory(id: string, waitMs: number): Promise<boolean> {
    if (!this.#outOfMemory.has(id) && waitMs > 0 && !this.#lost) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#waiting.set(id, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      this.#waiting.delete(id);
    }
    return this.#outOfMemory.has(id);
  }

  forget(id: string): void {
    this.#outOfMemory.delete(id);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stream?.destroy();
  }

  #follow(stream: Readable): void {
    this.#stream = stream;
    let line = '';
    stream.on('data', (chunk: Buffer) => {
      const lines = (line + chunk.toString()).split('\n');
      line = (lines.pop() ?? '').slice(0, LINE_CHARACTERS_MAX);
      for (const whole of lines) this.#processLine(whole);
    });
    stream.once('error', () => undefined);
    stream.once('close', () => this.#again(null));
  }

  #processLine(line: string): void {
    let id: unknown;
    try {
      id = (JSON.parse(line) as { id?: unknown }).id;
    } catch {
      return;
    }
    if (typeof id !== 'string') return;
    this.#outOfMemory.add(id);
    // An event that arrives after its container was forgotten would otherwise stay for ever.
    for (const oldest of this.#outOfMemory)
      if (this.#outOfMemory.size > REMEMBERED_MAX) this.#outOfMemory.delete(oldest);
    this.#waiting.get(id)?.();
  }

  #again(error: Error | null): void {
    if (this.#closed) return;
    if (!this.#lost) this.#report({ type: 'engine.lost', error });
    this.#lost = true;
    this.#timer = setTimeout(() => void this.start(), RECONNECT_MS).unref();
  }
}
