# SPDX-License-Identifier: Apache-2.0
"""Impersonates the agent: stops it, and writes the effect in ACCOUNT into the stream that process 1 shares with it."""
import json
import os
import signal
import struct
import time

CODES = {'stdout': 65, 'stderr': 66, 'exit': 67, 'change': 68, 'data': 69, 'end': 70, 'fault': 71, 'hello': 64, 'net_open': 96, 'net_data': 97}


def frame(kind, payload):
    return struct.pack('>IBB', len(payload), 1, CODES[kind]) + payload


def payload_of(message):
    if message['type'] == 'change':
        fields = json.dumps({'path': message['path'], 'after': message['after']}).encode()
        return struct.pack('>H', len(fields)) + fields + message.get('content', '').encode()
    if 'raw' in message:
        return bytes.fromhex(message['raw'])
    return json.dumps({name: value for name, value in message.items() if name != 'type'}).encode()


def agent():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        with open(f'/proc/{pid}/cmdline', 'rb') as file:
            if file.read() == b'/opt/writ/agent\0':
                return int(pid)
    raise SystemExit('there is no agent')


os.kill(agent(), signal.SIGSTOP)
with open('/proc/1/fd/1', 'wb', buffering=0) as stream:
    for message in json.loads(ACCOUNT):
        stream.write(frame(message['type'], payload_of(message)))
time.sleep(60)
