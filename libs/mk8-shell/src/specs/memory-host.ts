// SPDX-License-Identifier: Apache-2.0
import {
  HostClock,
  HostEnvironment,
  HostNet,
  HostProcess,
  HostRandom,
  HostSystem,
  UnreachableError,
  type CertificateFacts,
  type Command,
  type CommandEnded,
  type Destination,
  type DiskFacts,
  type Host,
  type HttpAnswer,
  type HttpRequest,
  type ProcessFacts,
} from '../host/host.ts';
import { MemoryFiles } from './memory-files.ts';

export { zipOf } from './archives.ts';
export { Escape, MemoryFiles } from './memory-files.ts';

/** The initial time: 2026-01-02T03:04:05Z. */
export const BEGINNING = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A clock that advances when nothing else can happen: as soon as all running code waits, the next sleeper wakes. */
export class MemoryClock extends HostClock {
  readonly slept: number[] = [];
  #ms = 0;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  #isTurning = false;

  now = (): number => BEGINNING + this.#ms;
  monotonic = (): number => this.#ms;

  /** Advances the time, like work that takes some. */
  pass(ms: number): void {
    this.#ms += ms;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = {
        at: this.#ms + ms,
        wake: () => {
          this.slept.push(ms);
          resolve();
        },
      };
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
      if (signal.aborted) return resolve();
      this.#sleepers.push(sleeper);
      this.#turn();
    });
  }

  /** One turn of the event loop: all work that needs no time is done at its end. */
  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined) return;
      this.#ms = Math.max(this.#ms, next.at);
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      next.wake();
      this.#turn();
    });
  }
}

export class MemoryProcess extends HostProcess {
  readonly commands: Command[] = [];
  /** The behaviour of commands: by default they succeed without output. */
  answer: (command: Command) => CommandEnded | Promise<CommandEnded> = () => ({ exit: 0, stdout: '', stderr: '' });

  async run(command: Command): Promise<CommandEnded> {
    this.commands.push(command);
    return this.answer(command);
  }
}

export const PUBLIC_ADDRESS = '93.184.216.34';

export class MemoryNet extends HostNet {
  readonly connected: { readonly address: string; readonly port: number }[] = [];
  readonly requests: HttpRequest[] = [];
  /** Names with addresses other than those of a public server. */
  readonly names = new Map<string, readonly string[]>();
  answer: (request: HttpRequest) => Partial<HttpAnswer> = () => ({});
  isUnreachable = false;

  resolve(name: string): Promise<readonly string[]> {
    const isAddress = /^[0-9.]+$/.test(name) || name.includes(':');
    return Promise.resolve(this.names.get(name) ?? [isAddress ? name : PUBLIC_ADDRESS]);
  }

  lookUp = (name: string): Promise<readonly string[]> => this.resolve(name);

  request(request: HttpRequest): Promise<HttpAnswer> {
    const { protocol, port } = new URL(request.url);
    this.connected.push({
      address: request.address ?? '',
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    });
    this.requests.push(request);
    return Promise.resolve({
      status: 200,
      headers: {},
      body: Buffer.from('hello'),
      isCut: false,
      ...this.answer(request),
    });
  }

  connect({ address }: Destination, port: number): Promise<number> {
    if (address === null) throw new Error('an address was judged');
    this.connected.push({ address, port });
    return this.isUnreachable ? Promise.reject(new UnreachableError('nothing answers')) : Promise.resolve(12.34);
  }

  certificate({ name, address }: Destination, port: number): Promise<CertificateFacts> {
    if (address === null) throw new Error('an address was judged');
    this.connected.push({ address, port });
    return Promise.resolve({
      subject: `CN=${name}`,
      issuer: 'CN=Test',
      validFromMs: BEGINNING,
      validToMs: BEGINNING + 10 * 86_400_000,
      fingerprint256: 'AA:BB',
      names: [`DNS:${name}`],
      isTrusted: true,
    });
  }
}

/** The same numbers each time. */
class MemoryRandom extends HostRandom {
  #state = 1;

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => {
      this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (this.#state >> 16) & 0xff;
    });
  }
}

class MemoryEnvironment extends HostEnvironment {
  readonly variables = new Map([
    ['LANG', 'C.UTF-8'],
    ['AWS_SECRET_ACCESS_KEY', 'never'],
  ]);
  get = (name: string): string | undefined => this.variables.get(name);
}

const GIB = 2 ** 30;

/** A machine on which every fact is available, or none. */
export class MemorySystem extends HostSystem {
  isSilent = false;

  #say = <Fact>(fact: Fact): Promise<Fact | null> => Promise.resolve(this.isSilent ? null : fact);
  hostname = (): Promise<string | null> => this.#say('box');
  uptimeSeconds = (): Promise<number | null> => this.#say(3661);
  osInfo = (): Promise<string | null> => this.#say('Linux 6.1 x64');
  cpuCount = (): Promise<number | null> => this.#say(4);
  tempDirectory = (): Promise<string | null> => this.#say('/tmp');
  disk = (_path: string): Promise<DiskFacts | null> =>
    this.#say({ name: 'disk', totalBytes: 4 * GIB, freeBytes: 3 * GIB });
  drives = (): Promise<readonly DiskFacts[] | null> =>
    this.#say([{ name: 'disk', totalBytes: 4 * GIB, freeBytes: 3 * GIB }]);
  memory = (): Promise<{ totalBytes: number; freeBytes: number } | null> =>
    this.#say({ totalBytes: 2 * GIB, freeBytes: GIB });
  processes = (): Promise<readonly ProcessFacts[] | null> =>
    this.#say([
      { pid: 1, name: 'init' },
      { pid: 7, name: 'Sleeper' },
    ]);
  interfaces = (): Promise<readonly { name: string; addresses: readonly string[] }[] | null> =>
    this.#say([{ name: 'eth0', addresses: ['10.0.0.2'] }]);
}

/** A host in memory, which records what is done to it. */
export class MemoryHost implements Host {
  readonly clock = new MemoryClock();
  readonly files = new MemoryFiles(() => this.clock.now());
  readonly process = new MemoryProcess();
  readonly net = new MemoryNet();
  readonly random = new MemoryRandom();
  readonly env = new MemoryEnvironment();
  readonly system = new MemorySystem();
}
