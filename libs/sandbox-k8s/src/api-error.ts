// SPDX-License-Identifier: Apache-2.0

/**
 * An error answer of the API server. `status` is HTTP's; `reason` is Kubernetes' own (`AlreadyExists`, `Forbidden`, …),
 * where there is one.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string | null;
  /** after which time the server wants the next request, in milliseconds; null where it doesn't say */
  readonly retryAfterMs: number | null;

  constructor(what: string, status: number, body: string, retryAfter: string | undefined) {
    const { message, reason } = statusOf(body);
    super(`the API server refuses to ${what} (${status}${reason === null ? '' : ` ${reason}`}): ${message}`);
    this.name = 'ApiError';
    this.status = status;
    this.reason = reason;
    const seconds = Number(retryAfter);
    this.retryAfterMs = retryAfter !== undefined && Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : null;
  }

  /** Whether the namespace's quota is exhausted: an early retry doesn't help. */
  get isQuota(): boolean {
    return this.status === 403 && /exceeded quota/.test(this.message);
  }

  /** Whether the server is busy and the same request may be sent again. */
  get isBusy(): boolean {
    return this.status === 429 || this.status === 503 || this.status === 504;
  }
}

export const isStatus = (error: unknown, status: number): error is ApiError =>
  error instanceof ApiError && error.status === status;

/** Long enough for the longest useful refusal. */
const MESSAGE_CHARACTERS_MAX = 500;

function statusOf(body: string): { readonly message: string; readonly reason: string | null } {
  try {
    const { message, reason } = JSON.parse(body) as { message?: unknown; reason?: unknown };
    return {
      message: typeof message === 'string' ? message.slice(0, MESSAGE_CHARACTERS_MAX) : 'it says nothing more',
      reason: typeof reason === 'string' ? reason : null,
    };
  } catch {
    return { message: body.slice(0, MESSAGE_CHARACTERS_MAX).trim() || 'it says nothing more', reason: null };
  }
}
