// SPDX-License-Identifier: Apache-2.0
import { heardOutputContract, hostileContract } from '@writ/sandbox-host/contract';
import { openSandbox } from './engine.contract.ts';

hostileContract('hostile jobs in Docker containers', openSandbox, { boundsProcesses: true, sealsVoice: false });
heardOutputContract('output of Docker containers', openSandbox, { underWayMax: 1024 * 1024 });
