// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, ReportRequest, type ReportReply } from '@writ/contract';
import { withSpan } from '@writ/telemetry';
import { Commit } from './commit.ts';
import { KeepOutput } from './keep-output.ts';
import { PreviewReports } from './preview-reports.ts';

/**
 * Reports that one replica decides at once; a further one gets `overloaded`, and is retried within its lease. Each
 * holds a delta in memory.
 */
const CONCURRENCY_MAX = 64;

/** Parses bytes into a ReportRequest: an executor's statement about a container's statement, and neither is trusted. */
@Controller()
export class CommitController {
  readonly #commit: Commit;
  readonly #previews: PreviewReports;
  readonly #output: KeepOutput;

  constructor(commit: Commit, previews: PreviewReports, output: KeepOutput) {
    this.#commit = commit;
    this.#previews = previews;
    this.#output = output;
  }

  @MessagePattern('kernel.report', { concurrencyMax: CONCURRENCY_MAX })
  async handle(@Payload() payload: unknown): Promise<ReportReply> {
    const report = parseMessage(ReportRequest, payload);
    const { operation_id, attempt, mode = 'run' } = report;
    return await withSpan('performed', { operation_id, attempt, mode }, () =>
      mode === 'preview' ? this.#previews.run(report) : this.#run(report),
    );
  }

  /** The stored full output is durable before the result is. */
  async #run(report: ReportRequest): Promise<ReportReply> {
    await this.#output.run(report);
    return await this.#commit.run(report);
  }
}
