// SPDX-License-Identifier: Apache-2.0
import { NotReady } from '@writ/nest-kit';
import type { EngineProblem } from '@writ/sandbox-host';
import type { Logger } from '@writ/telemetry';

/** How long a result is cached. Probes come from outside in any number, so the engine is queried once in this time. */
const CACHED_MS = 2_000;

type Driver = 'docker' | 'kubernetes';

/** What to check, by driver and problem. The engine's own message is only logged, since it may name addresses. */
const MESSAGES: Readonly<Record<Driver, Readonly<Record<EngineProblem, string>>>> = {
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

/** The engine to check. Its errors may have a `problem`, as EngineNotReady has; any other error counts as `failed`. */
export interface VerifiedEngine {
  verifyReady(): Promise<void>;
}

/**
 * The readiness check of the engine of sandboxes. It queries the engine at most once in CACHED_MS, however many probes
 * come. A recovered engine is noticed at the next probe after that. Each change is logged once.
 */
export class EngineCheck {
  readonly #engine: VerifiedEngine;
  readonly #driver: Driver;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  readonly #now: () => number;
  #pending: Promise<NotReady | null> | null = null;
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
    const found = this.#last !== null && this.#now() < this.#last.until ? this.#last.found : await this.#query();
    if (found !== null) throw found;
  }

  #query(): Promise<NotReady | null> {
    return (this.#pending ??= this.#queryEngine().finally(() => {
      this.#pending = null;
    }));
  }

  async #queryEngine(): Promise<NotReady | null> {
    const found = await this.#engine.verifyReady().then(
      () => null,
      (error: unknown) => this.#notReady(error),
    );
    const before = this.#last?.found ?? null;
    if (found !== null && found.message !== before?.message) this.#logger.warn({ err: found.cause }, found.message);
    if (found === null && before !== null) this.#logger.info('the engine of sandboxes answers again');
    this.#last = { until: this.#now() + CACHED_MS, found };
    return found;
  }

  #notReady(error: unknown): NotReady {
    const problem = (error as { readonly problem?: unknown } | null)?.problem;
    const messages = MESSAGES[this.#driver];
    return new NotReady(
      Object.hasOwn(messages, String(problem)) ? messages[problem as EngineProblem] : messages.failed,
      { cause: error },
    );
  }
}
