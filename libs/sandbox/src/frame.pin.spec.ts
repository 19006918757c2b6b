// SPDX-License-Identifier: Apache-2.0
import { encodeAgentMessage } from './agent-message.ts';
import { encodeHostMessage } from './host-message.ts';

const NONE = Buffer.alloc(0);

test('the bytes of each message are fixed: an agent in an image outlives the executor that made it', () => {
  const hex = (bytes: Buffer) => `${bytes.subarray(0, 6).toString('hex')} ${bytes.subarray(6).toString('latin1')}`;
  expect([
    hex(encodeHostMessage({ type: 'file', head: { kind: 'file', path: 'a', mode: '755', size: 2, sha256: 'x' }, bytes: Buffer.from('hi') })),
    hex(encodeHostMessage({ type: 'file', head: { kind: 'symlink', path: 'a', target: 'b' }, bytes: NONE })),
    hex(encodeHostMessage({ type: 'data', bytes: Buffer.from('more') })),
    hex(encodeHostMessage({ type: 'job', job: { command: 'c', cwd: '', timeout_ms: 1, env: { A: 'b' }, stdin: false, output_bytes_max: 2, delta_bytes_max: 3, delta_files_max: 4 } })),
    hex(encodeHostMessage({ type: 'stdin', bytes: Buffer.from('in') })),
    hex(encodeHostMessage({ type: 'net_data', channel: 258, bytes: Buffer.from('in') })),
    hex(encodeHostMessage({ type: 'net_end', channel: 1 })),
    hex(encodeHostMessage({ type: 'net_reset', channel: 1 })),
    hex(encodeHostMessage({ type: 'net_credit', channel: 1, count: 3 })),
    hex(encodeAgentMessage({ type: 'net_open', channel: 1 })),
    hex(encodeAgentMessage({ type: 'net_data', channel: 1, bytes: Buffer.from('out') })),
    hex(encodeAgentMessage({ type: 'net_end', channel: 1 })),
    hex(encodeAgentMessage({ type: 'net_reset', channel: 1 })),
    hex(encodeAgentMessage({ type: 'net_credit', channel: 1, count: 3 })),
    hex(encodeAgentMessage({ type: 'hello', agent: 'x' })),
    hex(encodeAgentMessage({ type: 'stdout', sequence: 258, bytes: Buffer.from('out') })),
    hex(encodeAgentMessage({ type: 'stderr', sequence: 0, bytes: Buffer.from('err') })),
    hex(encodeAgentMessage({ type: 'exit', code: 3, signal: null, timedOut: false, droppedBytes: 5 })),
    hex(encodeAgentMessage({ type: 'change', path: 'p', after: { kind: 'file', mode: '644', size: 1 }, bytes: Buffer.from('!') })),
    hex(encodeAgentMessage({ type: 'change', path: 'p', after: null, bytes: NONE })),
    hex(encodeAgentMessage({ type: 'data', bytes: Buffer.from('d') })),
    hex(encodeAgentMessage({ type: 'end', changes: 2 })),
    hex(encodeAgentMessage({ type: 'fault', reason: 'delta_files', detail: 'why' })),
  ]).toEqual([
    '000000410101 \0={"kind":"file","path":"a","mode":"755","size":2,"sha256":"x"}hi',
    '0000002c0101 \0*{"kind":"symlink","path":"a","target":"b"}',
    '000000040102 more',
    '000000820103 {"command":"c","cwd":"","timeout_ms":1,"env":{"A":"b"},"stdin":false,"output_bytes_max":2,"delta_bytes_max":3,"delta_files_max":4}',
    '000000020104 in',
    '000000060120 \0\0\x01\x02in',
    '000000040121 \0\0\0\x01',
    '000000040122 \0\0\0\x01',
    '000000080123 \0\0\0\x01\0\0\0\x03',
    '000000040160 \0\0\0\x01',
    '000000070161 \0\0\0\x01out',
    '000000040162 \0\0\0\x01',
    '000000040163 \0\0\0\x01',
    '000000080164 \0\0\0\x01\0\0\0\x03',
    '0000000d0140 {"agent":"x"}',
    '000000070141 \0\0\x01\x02out',
    '000000070142 \0\0\0\0err',
    '0000003c0143 {"code":3,"signal":null,"timed_out":false,"dropped_bytes":5}',
    '0000003d0144 \0:{"path":"p","after":{"kind":"file","mode":"644","size":1}}!',
    '0000001b0144 \0\x19{"path":"p","after":null}',
    '000000010145 d',
    '0000000d0146 {"changes":2}',
    '000000270147 {"reason":"delta_files","detail":"why"}',
  ]);
});
