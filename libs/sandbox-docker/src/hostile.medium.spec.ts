// SPDX-License-Identifier: Apache-2.0
import { backPressureContract, hostileContract } from '@writ/sandbox-host/contract';
import { openSandbox } from './engine.contract.ts';

hostileContract('hostile jobs in Docker containers', openSandbox, { boundsProcesses: true, sealsOutput: false });
backPressureContract('output of Docker containers', openSandbox, { inTransitBytesMax: 1024 * 1024 });
