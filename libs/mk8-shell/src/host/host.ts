// SPDX-License-Identifier: Apache-2.0
//
// Everything that a script may access. Paths are within the workspace: no slash at either end, no `.`, no `..`; empty
// for the workspace itself. The results of a host are attacker-controlled, as are all arguments.

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
 * whatever `resolve` returned before: a link may have replaced a part of it. They MUST reject with an Error whose
 * message may be shown to a model.
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
  /** Creates missing directories; replaces an existing file, or appends to it. */
  abstract write(path: string, bytes: Uint8Array, how: 'replace' | 'append'): Promise<void>;
  abstract makeDirectory(path: string): Promise<void>;
  /** Removes a file, a link itself, or a directory with its contents; a missing entry is no error. */
  abstract remove(path: string): Promise<void>;
  /** Replaces an existing file at the target. */
  abstract move(from: string, to: string): Promise<void>;
}

export interface Command {
  /** Never passed to a shell. */
  readonly argv: readonly string[];
  /** Added to an environment without variables of the user. */
  readonly cwd: string;
  /** Added to an environment that holds nothing of the user's. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly stdoutBytesMax: number;
  readonly stderrBytesMax: number;
}
/**
 * The heads of both streams, and how many bytes of stdout followed its head. The exit of a command that a signal ended
 * is 128 plus the signal's number.
 */
export interface CommandEnded {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly cutBytes?: number;
}

export abstract class HostProcess {
  /** MUST end the command and all of its descendants when the time is up or the signal aborts, and then reject. */
  abstract run(command: Command, signal: AbortSignal): Promise<CommandEnded>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly url: string;
  /**
   * The address of the connection: implementations MUST use no other one. Null where `resolve` returns null: the gate
   * gets the name. Redirects MUST NOT be followed.
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
  /** the names and addresses that it is for (subjectAltName, RFC 5280 §4.2.1.6): `DNS:example.com` */
  readonly names: readonly string[];
  readonly isTrusted: boolean;
}

/**
 * A server by its name, and by the address that was checked; null where the gate resolves, checks and pins the name
 * itself.
 */
export interface Destination {
  readonly name: string;
  readonly address: string | null;
}

/** Nothing answers at the other side, or its name has no address. The message is fit for a model. */
export class UnreachableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreachableError';
  }
}

/**
 * Connections. Callers MUST have checked the address before; implementations connect only to it. Where there is a gate,
 * it decides: implementations MUST then send everything through it. All calls end at their timeout at the latest.
 */
export abstract class HostNet {
  /**
   * All addresses of a name; none where there are none. An address resolves to itself. Null where only the gate
   * resolves names.
   */
  abstract resolve(name: string, timeoutMs: number): Promise<readonly string[] | null>;
  /**
   * All addresses of a name for a script to read, as the gate answers where there is one. Rejects where there are none,
   * or the gate refuses.
   */
  abstract lookUp(name: string, timeoutMs: number): Promise<readonly string[]>;
  abstract request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** Milliseconds until the connection was established. Rejects with UnreachableError where nothing answers. */
  abstract connect(to: Destination, port: number, timeoutMs: number): Promise<number>;
  abstract certificate(to: Destination, port: number, timeoutMs: number): Promise<CertificateFacts>;
}

export abstract class HostClock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
  /** Milliseconds of a clock that never goes back. */
  abstract monotonic(): number;
  /** Resolves when the time is over, or at once when the signal aborts. */
  abstract sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export abstract class HostRandom {
  /** From a source that nobody can predict. */
  abstract bytes(count: number): Uint8Array;
}

export abstract class HostEnvironment {
  /** A variable of the machine. Callers MUST have checked the name before. */
  abstract get(name: string): string | undefined;
}

export interface DiskFacts {
  readonly name: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
}
export interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
}

/** Facts about the machine. Null where a fact is not available, in which case the step shows `unavailable`. */
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
}

/** The environment of one sandbox. */
export interface Host {
  readonly files: HostFiles;
  readonly process: HostProcess;
  readonly net: HostNet;
  readonly clock: HostClock;
  readonly random: HostRandom;
  readonly env: HostEnvironment;
  readonly system: HostSystem;
}
