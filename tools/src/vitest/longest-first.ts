// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { checkout } from '../setup.ts';
import { durationOf } from './durations.ts';

const msOf = ({ moduleId }: TestSpecification): number => durationOf(relative(checkout, moduleId));

const byDuration = (a: TestSpecification, b: TestSpecification): number =>
  msOf(b) - msOf(a) || a.moduleId.localeCompare(b.moduleId);

/**
 * Begins with the files that take longest, so that no long one is left alone at the end, and divides files into parts
 * that take about the same time.
 */
export class LongestFirst extends BaseSequencer {
  /** Files of one project stay together: a worker that goes from one project to another has to start anew. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const total = (project: readonly TestSpecification[]): number => project.reduce((sum, file) => sum + msOf(file), 0);
    const projects = [...Map.groupBy(files, ({ project }) => project.name).values()];
    return projects.toSorted((a, b) => total(b) - total(a)).flatMap((project) => project.toSorted(byDuration));
  }

  /** Gives each file, longest first, to the part that has least to do so far: the same parts on every machine. */
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
