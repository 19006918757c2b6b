// SPDX-License-Identifier: Apache-2.0
// A process that behaves as its argument's last part says, instead of an engine.
import { basename } from 'node:path';

const behaviour = basename(process.argv[2] ?? '');
const ready = (): void => void process.send?.({ type: 'ready' });
process.on('disconnect', () => process.exit(0));

switch (behaviour) {
  case 'dies-at-once':
    process.exit(3);
    break;
  case 'never-starts':
    break;
  case 'is-silent':
    ready();
    process.on('message', () => undefined);
    break;
  case 'dies-at-work':
    ready();
    process.on('message', () => process.exit(3));
    break;
  case 'lies':
    ready();
    process.on('message', () => void process.send?.({ type: 'vectors', vectors: [] }));
    break;
  case 'hoards': {
    ready();
    process.on('message', () => {
      const kept: Buffer[] = [];
      for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
    });
    break;
  }
  default: {
    // It answers the process' id, which tells one process from another, and whether it sees a variable of ours.
    ready();
    process.on('message', ({ texts }: { readonly texts: readonly string[] }) => {
      const leaks = Object.keys(process.env).filter((name) => name.startsWith('WRIT')).length;
      const vectors = texts.map(() => Float32Array.of(process.pid, leaks));
      setTimeout(() => void process.send?.({ type: 'vectors', vectors }), 20);
    });
  }
}
