// SPDX-License-Identifier: Apache-2.0
import { openExecution, type TestExecution } from './test-executor.ts';
import { openTestKernel, type TestKernel } from './test-kernel.ts';
import { openManagement, type TestManagement } from './test-management.ts';

/** Opening creates a database for this spec file. */
const OPENING_MS = 120_000;

/** The parts of a kernel that the specs of a file use. The halves are opened when they are first read. */
export interface OpenedKernel<K extends TestKernel = TestKernel> {
  readonly kernel: K;
  /** the requests of executors */
  readonly run: TestExecution;
  /** the requests of administrators */
  readonly manage: TestManagement;
}

/**
 * Opens a kernel before the specs of a file, and closes it and the opened halves after them.
 * @param opened receives the parts that the specs use, and prepares what they share
 * @param open makes another kind of kernel than `openTestKernel()`
 */
export function openKernelSpec<K extends TestKernel = TestKernel>(
  opened: (on: OpenedKernel<K>) => void | Promise<void>,
  open?: () => Promise<K>,
): void {
  let close = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    const kernel = await (open ?? (openTestKernel as unknown as () => Promise<K>))();
    let [run, manage]: [TestExecution | null, TestManagement | null] = [null, null];
    close = async () => {
      await run?.close();
      await manage?.tenancy.close();
      await kernel.close();
    };
    await opened({
      kernel,
      get run() {
        return (run ??= openExecution(kernel));
      },
      get manage() {
        return (manage ??= openManagement(kernel));
      },
    });
  }, OPENING_MS);
  afterAll(async () => await close());
}
