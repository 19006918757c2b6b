// SPDX-License-Identifier: Apache-2.0
// The program of the thread that scans vectors. It has no connection to the database.
import { parentPort, workerData } from 'node:worker_threads';
import { BlockCache } from './block-cache.ts';
import { ScanJobs } from './scan-jobs.ts';
import type { FromThread, ThreadData, ToThread } from './scan-messages.ts';

const jobs = new ScanJobs(new BlockCache((workerData as ThreadData).cacheBytesMax), (message: FromThread) =>
  parentPort?.postMessage(message),
);
parentPort?.on('message', (message: ToThread) => jobs.receive(message));
