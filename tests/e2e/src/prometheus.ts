// SPDX-License-Identifier: Apache-2.0

export interface Sample {
  readonly family: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
  counter: [''],
  gauge: [''],
  untyped: [''],
};

/**
 * Parses the text format of metrics (Prometheus exposition format 0.0.4). Throws at the first line that is invalid or
 * out of order.
 */
export function parsePrometheus(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const [, family, type] =
      new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`).exec(line) ?? [];
    if (family !== undefined && type !== undefined) {
      if (types.has(family)) throw new Error(`\`${family}\` has two types`);
      types.set(family, type);
    } else if (!line.startsWith('#')) {
      const sample = parseSample(line, types);
      const identity = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(identity)) throw new Error(`\`${identity}\` comes twice`);
      seen.add(identity);
      samples.push(sample);
    }
  }
  verifyBuckets(samples);
  return samples;
}

function parseSample(line: string, types: ReadonlyMap<string, string>): Sample {
  const [, name = '', inner, number = ''] =
    new RegExp(`^(${NAME})(?:\\{(.*)\\})? ([^ ]+)(?: -?\\d+)?$`).exec(line) ?? [];
  const value = number === '+Inf' ? Infinity : number === '-Inf' ? -Infinity : Number(number);
  const family = [...types].find(([candidate, type]) =>
    SUFFIXES[type]!.some((suffix) => name === `${candidate}${suffix}`),
  )?.[0];
  if (name === '' || number === '' || (Number.isNaN(value) && number !== 'NaN') || family === undefined)
    throw new Error(`no sample of a typed metric: \`${line}\``);
  return { family, name, labels: parseLabels(inner ?? '', line), value };
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length;) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no labels: \`${line}\``);
    labels[name] = value;
  }
  return labels;
}

/** Asserts that the buckets of a histogram only grow, and that the last counts everything. */
function verifyBuckets(samples: readonly Sample[]): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples.filter(({ name }) => name.endsWith('_bucket'))) {
    const { le, ...rest } = sample.labels;
    if (le === undefined) throw new Error(`\`${sample.name}\` has a bucket without a bound`);
    const key = JSON.stringify([sample.name, rest]);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, buckets] of series) {
    const grows = buckets.every(({ value }, i) => i === 0 || value >= buckets[i - 1]!.value);
    if (!grows || buckets.at(-1)?.labels['le'] !== '+Inf') throw new Error(`the buckets of ${key} don't add up`);
  }
}
