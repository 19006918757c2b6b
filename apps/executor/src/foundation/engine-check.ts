// SPDX-License-Identifier: Apache-2.0
import { NotReady } from '@writ/nest-kit';
import type { EngineProblem } from '@writ/sandbox-host';
import type { Logger } from '@writ/telemetry';

/** Probes come from outside, however many: the engine is asked once in this time. */
const REMEMBERED_MS = 2_000;

type Driver = 'docker' | 'kubernetes';

/** What to look at, by driver. No word of the engine's own, which may name addresses: those are in the log. */
const WORDS: Readonly<Record<Driver, Readonly<Record<EngineProblem, string>>>> = {
  docker: {
    denied:
      'the engine that DOCKER_HOST names refuses this process: give its user or group the right to use the socket',
    unreachable: 'no engine answers at DOCKER_HOST: start the engine, or set DOCKER_HOST to where it is',
    silent: 'the engine that DOCKER_HOST names does not answer a ping in time: it hangs, or has too much to do',
    failed:
      'the engine that DOCKER_HOST names answers a ping with an error: see the logs of this process and of the engine',
    missing: 'the engine that DOCKER_HOST names lacks what sandboxes are made of: see the log of this process',
    image:
      'no sandbox has started, since the engine that DOCKER_HOST names lacks the image of WRIT_SANDBOX_IMAGE_DIGEST',
  },
  kubernetes: {
    denied:
      'the API server does not let this process list pods in WRIT_SANDBOX_NAMESPACE: give its service account, or that of WRIT_KUBECONFIG_FILE, the right to',
    unreachable:
      'the API server does not answer: see that NetworkPolicies let this process reach it, and what WRIT_KUBECONFIG_FILE names',
    silent:
      'the API server does not answer in time: it hangs, has too much to do, or NetworkPolicies keep this process from it',
    failed: 'the API server answers with an error: see the log of this process',
    missing:
      'the cluster lacks the SandboxClaims that WRIT_SANDBOX_CLAIMS asks for: install agent-sandbox 0.5 or later with its extensions, or unset WRIT_SANDBOX_CLAIMS',
    image:
      'no sandbox has started, since nodes can not run the image: set the values `sandbox.image` of the chart, or WRIT_SANDBOX_IMAGE and WRIT_SANDBOX_IMAGE_DIGEST; the log of this process has the reason',
  },
};

/** What is asked. Its errors may have a `problem`, as EngineNotReady has; any other error is `failed`. */
export interface VerifiedEngine {
  verifyReady(): Promise<void>;
}

/**
 * The readiness check of the engine that sandboxes run on. It asks the engine at most once in REMEMBERED_MS, whoever
 * asks how often; an engine that is back is noticed at the next question after that. Each change is logged once.
 */
export class EngineCheck {
  readonly #engine: VerifiedEngine;
  readonly #driver: Driver;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  readonly #now: () => number;
  #looking: Promise<NotReady | null> | null = null;
  #last: { readonly until: number; readonly found: NotReady | null } | null = null;

  /** @param now milliseconds of a monotonic clock */
  constructor(engine: VerifiedEngine, driver: Driver, logger: Pick<Logger, 'info' | 'warn'>, now: () => number) {
    this.#engine = engine;
    this.#driver = driver;
    this.#logger = logger;
    this.#now = now;
  }

  /** @throws NotReady */
  async run(): Promise<void> {
    const found = this.#last !== null && this.#now() < this.#last.until ? this.#last.found : await this.#look();
    if (found !== null) throw found;
  }

  #look(): Promise<NotReady | null> {
    return (this.#looking ??= this.#ask().finally(() => {
      this.#looking = null;
    }));
  }

  async #ask(): Promise<NotReady | null> {
    const found = await this.#engine.verifyReady().then(
      () => null,
      (error: unknown) => this.#notReady(error),
    );
    const before = this.#last?.found ?? null;
    if (found !== null && found.message !== before?.message) this.#logger.warn({ err: found.cause }, found.message);
    if (found === null && before !== null) this.#logger.info('the engine of sandboxes answers again');
    this.#last = { until: this.#now() + REMEMBERED_MS, found };
    return found;
  }

  #notReady(error: unknown): NotReady {
    const problem = (error as { readonly problem?: unknown } | null)?.problem;
    const words = WORDS[this.#driver];
    return new NotReady(Object.hasOwn(words, String(problem)) ? words[problem as EngineProblem] : words.failed, {
      cause: error,
    });
  }
}
