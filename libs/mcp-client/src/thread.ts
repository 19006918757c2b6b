// SPDX-License-Identifier: Apache-2.0
// What a worker thread runs: it speaks the protocol, and reads what a server sends.
export { callRemoteTool } from './call-tool.ts';
export { listRemoteTools } from './list-tools.ts';
