// SPDX-License-Identifier: Apache-2.0
import { ApiException, type CoreV1Api, type V1ConfigMap, type V1Secret } from '@kubernetes/client-node';

type Stored = V1Secret | V1ConfigMap;
interface Request {
  readonly name: string;
  readonly body?: Stored;
}

/** A run whose requests wait until a spec grants them. */
export interface Run {
  /** Answers the run's next request, and resolves once it waits for another or has ended. False: it had ended. */
  readonly step: () => Promise<boolean>;
  /** Lets the server execute the next request of the run, which then never continues. */
  readonly kill: () => void;
  /** How the run ended; undefined while it runs. */
  readonly ended: () => { readonly error: unknown } | undefined;
}

/**
 * Secrets and ConfigMaps by name, with version checks on writes; it answers one request at a time, in the order of the
 * spec.
 */
export class ScheduledApi {
  readonly objects = new Map<string, Stored>();
  #version = 0;

  put(name: string, stored: Stored): void {
    const metadata = { ...stored.metadata, name, resourceVersion: String((this.#version += 1)) };
    this.objects.set(name, { ...stored, metadata } as Stored);
  }

  /** Starts a run, which waits at its first request. */
  async start(run: (api: CoreV1Api) => Promise<unknown>): Promise<Run> {
    let next: { readonly answer: () => void; readonly execute: () => void } | undefined;
    let ended: { error: unknown } | undefined;
    let onPause: () => void = () => undefined;
    const pause = (): Promise<void> => new Promise((resolve) => (onPause = resolve));
    const request = (ask: Request): Promise<Stored> =>
      new Promise((resolve, reject) => {
        const execute = (): Stored => this.#answer(ask);
        next = {
          execute,
          answer: () => {
            try {
              resolve(execute());
            } catch (error) {
              reject(error as Error);
            }
          },
        };
        onPause();
      });
    const api = {
      readNamespacedSecret: request,
      readNamespacedConfigMap: request,
      replaceNamespacedSecret: request,
      replaceNamespacedConfigMap: request,
    } as unknown as CoreV1Api;
    const paused = pause();
    void run(api).then(
      () => ((ended = { error: null }), onPause()),
      (error: unknown) => ((ended = { error }), onPause()),
    );
    await paused;
    return {
      step: async () => {
        const pending = next;
        if (pending === undefined || ended !== undefined) return false;
        next = undefined;
        const again = pause();
        pending.answer();
        await again;
        return true;
      },
      kill: () => {
        const pending = next;
        next = undefined;
        try {
          pending?.execute();
        } catch {
          // A conflict: the killed run never learns of it.
        }
      },
      ended: () => ended,
    };
  }

  #answer({ name, body }: Request): Stored {
    const found = this.objects.get(name);
    if (found === undefined) throw new ApiException(404, 'not found', '', {});
    if (body === undefined) return structuredClone(found);
    const isAsRead = found.metadata?.resourceVersion === body.metadata?.resourceVersion;
    if (!isAsRead) throw new ApiException(409, 'modified', '', {});
    // The API server keeps the version of an unchanged object.
    if (JSON.stringify(found) !== JSON.stringify(body)) this.put(name, structuredClone(body));
    return structuredClone(this.objects.get(name) as Stored);
  }
}
