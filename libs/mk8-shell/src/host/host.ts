// SPDX-License-Identifier: Apache-2.0
//
// Everything that a script may touch. Paths are within the workspace: no slash at either end, no `.`, no `..`; empty
// for the workspace itself. What a host returns is attacker-controlled, as are all arguments.

export interface FileFacts {
  readonly kind: 'file' | 'directory';
  readonly size: number;
  readonly modifiedMs: number;
}
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link';
}

/**
 * The files of the workspace. Implementations MUST refuse every path that leads out of the workspace when it is used,
 * whatever `resolve` said before: a link may have been put in its way. They MUST reject with an Error whose message may
 * be shown to a model.
 */
export abstract class HostFiles {
  /**
   * The path with all links followed, also where its end doesn't exist; null where it leads out of the workspace, or in
   * circles.
   */
  abstract resolve(path: string): Promise<string | null>;
  /** Null where there is nothing. */
  abstract stat(path: string): Promise<FileFacts | null>;
  /** In any order. */
  abstract list(path: string): Promise<readonly DirectoryEntry[]>;
  /** The whole file, or its first `bytesMax` bytes. */
  abstract read(path: string, bytesMax: number): Promise<Uint8Array>;
  /** Makes directories on the way; replaces what is there, or adds to its end. */
  abstract write(path: string, bytes: Uint8Array, how: 'replace' | 'append'): Promise<void>;
  abstract makeDirectory(path: string): Promise<void>;
  /** Removes a file, a link itself, or a directory with all in it; what isn't there is no error. */
  abstract remove(path: string): Promise<void>;
  /** Replaces a file that is there. */
  abstract move(from: string, to: string): Promise<void>;
}

export interface Command {
  /** Never given to a shell. */
  readonly argv: readonly string[];
  /** Within the workspace. */
  readonly cwd: string;
  /** Added to an environment that holds nothing of the user's. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly stdoutBytesMax: number;
  readonly stderrBytesMax: number;
}
/**
 * The heads of both streams, and how many bytes of stdout came beyond its head. A command that a signal ended has 128
 * and its number as its exit.
 */
export interface CommandEnded {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly cutBytes?: number;
}

export abstract class HostProcess {
  /** MUST end the command and all that it started when the time is up or the signal says so, and then reject. */
  abstract run(command: Command, signal: AbortSignal): Promise<CommandEnded>;
}

export interface HttpAsked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly url: string;
  /**
   * Where to connect: implementations MUST connect to this address and no other. Null where `resolve` is: the name goes
   * to the gate. Redirects MUST NOT be followed.
   */
  readonly address: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly bytesMax: number;
  readonly timeoutMs: number;
}
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly isCut: boolean;
}
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly validFromMs: number;
  readonly validToMs: number;
  readonly fingerprint256: string;
  readonly isTrusted: boolean;
}

/**
 * A server by its name, and by the address that was judged; null where the name goes to a gate that resolves, judges
 * and pins it itself.
 */
export interface Destination {
  readonly name: string;
  readonly address: string | null;
}

/**
 * Connections. Callers MUST have judged the address before; implementations connect to it alone. Where there is a gate,
 * it judges: implementations MUST then send everything through it. All end at the timeout at the latest.
 */
export abstract class HostNet {
  /**
   * All addresses of a name; none where there are none. An address answers with itself. Null where names are resolved
   * by the gate alone.
   */
  abstract resolve(name: string, timeoutMs: number): Promise<readonly string[] | null>;
  abstract request(asked: HttpAsked, signal: AbortSignal): Promise<HttpAnswer>;
  /** Milliseconds until the connection stood. */
  abstract connect(to: Destination, port: number, timeoutMs: number): Promise<number>;
  /** Milliseconds until the echo, or null where none came; `impossible` where no echo can be sent at all. */
  abstract ping(to: Destination, timeoutMs: number): Promise<number | null | 'impossible'>;
  abstract certificate(to: Destination, port: number, timeoutMs: number): Promise<CertificateFacts>;
}

export abstract class HostClock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
  /** Milliseconds of a clock that never goes back. */
  abstract monotonic(): number;
  /** Resolves when so much time is over, or at once when the signal says so. */
  abstract sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export abstract class HostRandom {
  /** From a source that nobody can foretell. */
  abstract bytes(count: number): Uint8Array;
}

export abstract class HostEnvironment {
  /** A variable of the machine. Callers MUST have judged the name before. */
  abstract get(name: string): string | undefined;
}

export interface DiskFacts {
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
}
export interface ServiceFacts {
  readonly name: string;
  readonly status: string;
}
export interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
}

/** What the machine says of itself. Null wherever it can't say: that is an answer, and the step shows `unavailable`. */
export abstract class HostSystem {
  abstract hostname(): Promise<string | null>;
  abstract uptimeSeconds(): Promise<number | null>;
  abstract osInfo(): Promise<string | null>;
  abstract cpuCount(): Promise<number | null>;
  abstract tempDirectory(): Promise<string | null>;
  abstract disk(path: string): Promise<DiskFacts | null>;
  abstract drives(): Promise<readonly DiskFacts[] | null>;
  abstract memory(): Promise<{ readonly totalBytes: number; readonly freeBytes: number } | null>;
  abstract processes(): Promise<readonly ProcessFacts[] | null>;
  abstract interfaces(): Promise<readonly { readonly name: string; readonly addresses: readonly string[] }[] | null>;
  abstract logSources(): Promise<readonly string[] | null>;
  /** The newest lines of a source, oldest first. */
  abstract logLines(source: string, count: number, filter: string): Promise<readonly string[] | null>;
  abstract services(): Promise<readonly ServiceFacts[] | null>;
  /** False where there is no clipboard. */
  abstract setClipboard(text: string): Promise<boolean>;
}

/** The world of one sandbox. */
export interface Host {
  readonly files: HostFiles;
  readonly process: HostProcess;
  readonly net: HostNet;
  readonly clock: HostClock;
  readonly random: HostRandom;
  readonly env: HostEnvironment;
  readonly system: HostSystem;
}
