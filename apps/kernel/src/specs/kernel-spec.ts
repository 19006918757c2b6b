// SPDX-License-Identifier: Apache-2.0
import { openExecution, type TestExecution } from './test-executor.ts';
import { openTestKernel, type TestKernel } from './test-kernel.ts';
import { openManagement, type TestManagement } from './test-management.ts';

/** Opening makes a database of the spec's own. */
const OPENING_MS = 120_000;

/** What the specs of a file use of a kernel. The halves are opened when they are first read. */
export interface OpenedKernel<K extends TestKernel = TestKernel> {
  readonly kernel: K;
  /** what executors ask for */
  readonly run: TestExecution;
  /** what administrators ask for */
  readonly manage: TestManagement;
}

/**
 * Opens a kernel before the specs of a file, and closes it and the halves that were read behind them.
 * @param opened takes what the specs use, and prepares what they share
 * @param open a kernel of another kind than `openTestKernel()` makes
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
