// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { checkout } from '../setup.ts';
import { durationOf } from './durations.ts';

const msOf = ({ moduleId }: TestSpecification): number => durationOf(relative(checkout, moduleId));

const byDuration = (a: TestSpecification, b: TestSpecification): number =>
  msOf(b) - msOf(a) || a.moduleId.localeCompare(b.moduleId);

/**
 * Starts the longest files first, so that none runs alone at the end, and divides files into shards of about the same
 * duration.
 */
export class LongestFirst extends BaseSequencer {
  /** Files of one project stay together: a worker restarts when it changes the project. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const total = (project: readonly TestSpecification[]): number => project.reduce((sum, file) => sum + msOf(file), 0);
    const projects = [...Map.groupBy(files, ({ project }) => project.name).values()];
    return projects.toSorted((a, b) => total(b) - total(a)).flatMap((project) => project.toSorted(byDuration));
  }

  /** Assigns each file, longest first, to the shortest shard so far: the same shards on every machine. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const parts = Array.from({ length: count }, () => ({ ms: 0, files: [] as TestSpecification[] }));
    for (const file of files.toSorted(byDuration)) {
      const least = parts.reduce((a, b) => (b.ms < a.ms ? b : a));
      least.ms += msOf(file);
      least.files.push(file);
    }
    return parts[index - 1]?.files ?? [];
  }
}
