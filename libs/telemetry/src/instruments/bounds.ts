// SPDX-License-Identifier: Apache-2.0
import { EVENTS, FAULTS, REQUESTS, TOOLS } from '@writ/contract';

/** The bound on the number of values of a label. */
export interface Bound {
  /** for the reference page */
  readonly what: string;
  /** how many different values one process reports at most; the next ones become `other` */
  readonly most: number;
  /** whether a value may be reported at all; absent: every value may */
  readonly has?: (value: string) => boolean;
}

const verbs = new Set([
  ...Object.keys(REQUESTS).map((name) => name.slice(name.indexOf('.') + 1)),
  ...Object.keys(EVENTS),
]);
const faults = new Set(Object.keys(FAULTS));
const tools = new Set([...TOOLS.keys(), 'tenant', 'unknown']);
/** HTTP status codes have three digits, of which a few dozen are in use. */
const STATUSES_MAX = 64;
const isStatus = (value: string): boolean => /^[1-5]\d\d$/.test(value);

/** Bounds by the names that rows of the table use. */
export const BOUNDS = {
  tool: {
    what: "Writ's own tools, `tenant` for all tools of tenants, `unknown` for names without a tool",
    most: tools.size,
    has: (value: string) => tools.has(value),
  },
  fault: {
    what: 'the [fault codes](../errors/) of Writ, `internal` for a defect, `none` where there is no fault',
    most: faults.size + 2,
    has: (value: string) => value === 'internal' || value === 'none' || faults.has(value),
  },
  outcomeOfHandler: {
    what: '`ok`, or the [fault code](../errors/) of the answer',
    most: faults.size + 2,
    has: (value: string) => value === 'ok' || value === 'internal' || faults.has(value),
  },
  verb: {
    what: 'the requests and events of the [bus](../architecture/bus.md)',
    most: verbs.size,
    has: (value: string) => verbs.has(value),
  },
  route: { what: 'route templates of the API, `unknown` for a path without a route', most: 250 },
  status: { what: 'HTTP status codes', most: STATUSES_MAX, has: isStatus },
  model: { what: 'models of `WRIT_MODELS_FILE`, which holds 100 at most', most: 100 },
  tenant: { what: 'the first tenants that the process sees, `WRIT_METRICS_TENANTS_MAX` of them', most: 50 },
  task: { what: 'kinds of work on worker threads, which the code names', most: 50 },
  keys: { what: 'kinds of keys that the process follows', most: 10 },
  pool: { what: 'connection pools of the process', most: 8 },
  witness: { what: 'witnesses of `WRIT_WITNESSES_FILE`', most: 20 },
  heapSpace: { what: "spaces of V8's heap", most: 16 },
} as const satisfies Readonly<Record<string, Bound>>;

export type BoundName = keyof typeof BOUNDS;
