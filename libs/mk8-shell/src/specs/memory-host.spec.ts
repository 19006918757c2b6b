// SPDX-License-Identifier: Apache-2.0
import { hostContract } from '../host/host.contract.ts';
import { MemoryHost } from './memory-host.ts';

hostContract('memory', () => {
  const host = new MemoryHost();
  return { host, link: (path, target) => { host.files.link(path, target); } };
});
