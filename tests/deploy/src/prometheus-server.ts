// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@writ/stack';
import { freePort, repositoryRoot } from '@writ/testing';

/** A series of an answer, with its values by seconds since the epoch. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}

/** A rule as Prometheus shows it. */
export interface LoadedRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

/** The program, or undefined where it is not installed. */
export const prometheusProgram = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(':')
    .map((dir) => join(dir, 'prometheus'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** A real Prometheus for one test, with Writ's rules. */
export class PrometheusServer {
  readonly #url: string;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(url: string, folder: string, child: ChildProcess) {
    this.#url = url;
    this.#folder = folder;
    this.#child = child;
  }

  /** Scrapes targets (`host:port`) by job name, at an interval in seconds. Resolves when it answers. */
  static async start(
    program: string,
    targets: Readonly<Record<string, readonly string[]>>,
    everySeconds: number,
  ): Promise<PrometheusServer> {
    const folder = mkdtempSync(join(tmpdir(), 'writ-prometheus-'));
    cpSync(join(repositoryRoot(), 'deploy/prometheus/rules'), join(folder, 'rules'), { recursive: true });
    const every = `${String(everySeconds)}s`;
    const config = {
      global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
      rule_files: ['rules/*.yaml'],
      scrape_configs: Object.entries(targets).map(([job, of]) => ({
        job_name: job,
        static_configs: [{ targets: of }],
      })),
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
    const address = `127.0.0.1:${String(await freePort())}`;
    const child = spawn(
      program,
      [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    const server = new PrometheusServer(`http://${address}`, folder, child);
    await eventually(
      'Prometheus is ready',
      async () => (await fetch(`${server.#url}/-/ready`).catch(() => null))?.ok === true,
      60_000,
    ).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    return server;
  }

  /** @throws Error with Prometheus' message where the expression fails */
  async range(
    expr: string,
    seconds: { readonly from: number; readonly to: number; readonly step: number },
  ): Promise<Series[]> {
    const { result } = await this.#ask<{ result: Series[] }>('query_range', {
      query: expr,
      start: String(seconds.from),
      end: String(seconds.to),
      step: String(seconds.step),
    });
    return result;
  }

  async now(expr: string): Promise<Series[]> {
    const { result } = await this.#ask<{ result: { metric: Series['metric']; value: Series['values'][number] }[] }>(
      'query',
      { query: expr },
    );
    return result.map(({ metric, value }) => ({ metric, values: [value] }));
  }

  async rules(): Promise<LoadedRule[]> {
    return (await this.#ask<{ groups: { rules: LoadedRule[] }[] }>('rules', {})).groups.flatMap(({ rules }) => rules);
  }

  /** Jobs whose every target was scraped. */
  async jobsUp(): Promise<string[]> {
    return (await this.now('min by (job) (up) == 1')).map(({ metric }) => metric['job'] ?? '').sort();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask<T>(what: string, parameters: Readonly<Record<string, string>>): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${what}?${new URLSearchParams(parameters).toString()}`);
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    if (answer.status !== 'success') throw new Error(`${parameters['query'] ?? what}: ${answer.error ?? 'no reason'}`);
    return answer.data;
  }
}
