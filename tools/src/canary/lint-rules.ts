// SPDX-License-Identifier: Apache-2.0
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { checkout } from '../setup.ts';
import type { CanaryResult } from './result.ts';

interface Offence {
  readonly rule: string;
  readonly file: string;
  readonly code: string;
}

const BOUNDARIES = '@nx/enforce-module-boundaries';
const lines = (n: number): string => Array.from({ length: n }, (_, i) => `export const a${i} = ${i};`).join('\n');

/** One violation for each rule, in a virtual file of that project. */
const OFFENCES: readonly Offence[] = [
  { rule: BOUNDARIES, file: 'libs/contract/src/canary.ts', code: `import '@writ/digest';` },
  { rule: BOUNDARIES, file: 'libs/contract/src/canary.ts', code: `import 'canonicalize';` },
  { rule: BOUNDARIES, file: 'libs/workspace/src/canary.ts', code: `import '@writ/database';` },
  { rule: BOUNDARIES, file: 'libs/policy/src/canary.ts', code: `import 'pg';` },
  { rule: BOUNDARIES, file: 'libs/risk/src/canary.ts', code: `import '@nestjs/common';` },
  { rule: BOUNDARIES, file: 'libs/bus-nats/src/canary.ts', code: `import '@writ/testing';` },
  { rule: BOUNDARIES, file: 'apps/kernel/src/canary.ts', code: `import '../../ledger/src/main.ts';` },
  { rule: BOUNDARIES, file: 'libs/capability/src/canary.ts', code: `import '@writ/risk';` },
  { rule: BOUNDARIES, file: 'libs/receipt/src/canary.ts', code: `import '@writ/bus';` },
  { rule: BOUNDARIES, file: 'libs/blobs/src/canary.spec.ts', code: `import '../../../apps/ledger/src/main.ts';` },
  { rule: BOUNDARIES, file: 'apps/console/src/canary.tsx', code: `import '@writ/contract';` },
  {
    rule: 'no-restricted-syntax',
    file: 'apps/console/src/canary.tsx',
    code: 'export const x = <p dangerouslySetInnerHTML={{ __html: name }} />;',
  },
  {
    rule: 'no-restricted-properties',
    file: 'apps/console/src/canary.ts',
    code: 'export const set = (to: Element): void => void (to.innerHTML = name);',
  },
  { rule: 'no-restricted-imports', file: 'libs/merkle/src/canary.ts', code: `import 'node:fs';` },
  { rule: 'no-restricted-imports', file: 'libs/permit/src/canary.ts', code: `import 'node:child_process';` },
  { rule: 'no-restricted-properties', file: 'libs/lifecycle/src/canary.ts', code: 'export const now = Date.now();' },
  {
    rule: 'no-restricted-properties',
    file: 'libs/signing/src/canary.ts',
    code: 'export const chance = Math.random();',
  },
  { rule: 'no-restricted-properties', file: 'libs/agent-loop/src/canary.ts', code: 'export const env = process.env;' },
  { rule: 'no-restricted-properties', file: 'apps/executor/src/canary.ts', code: 'export const env = process.env;' },
  { rule: 'no-restricted-globals', file: 'libs/sandbox/src/canary.ts', code: `export const got = fetch('x');` },
  { rule: 'no-restricted-syntax', file: 'libs/digest/src/canary.ts', code: `export * from './bytes.ts';` },
  { rule: 'no-restricted-exports', file: 'libs/digest/src/canary.ts', code: 'export default 1;' },
  { rule: 'no-console', file: 'apps/kernel/src/canary.ts', code: `console.log('x');` },
  { rule: 'max-lines', file: 'libs/blobs/src/canary.ts', code: lines(301) },
  { rule: 'max-lines', file: 'libs/blobs/src/canary.spec.ts', code: lines(401) },
  {
    rule: 'max-lines-per-function',
    file: 'libs/blobs/src/canary.ts',
    code: `export function f(): void {\n${'  f();\n'.repeat(51)}}`,
  },
  { rule: '@typescript-eslint/no-explicit-any', file: 'libs/blobs/src/canary.ts', code: 'export const x: any = 1;' },
  {
    rule: '@typescript-eslint/ban-ts-comment',
    file: 'libs/blobs/src/canary.ts',
    code: '// @ts-ignore\nexport const x = 1;',
  },
];

/** Lints each violation as ESLint lints the project, with Nx's graph available. */
export async function brokenLintRules(): Promise<CanaryResult[]> {
  await createProjectGraphAsync({ exitOnError: true });
  const eslint = new ESLint({ cwd: checkout });
  const results: CanaryResult[] = [];
  for (const { rule, file, code } of OFFENCES) {
    const [result] = await eslint.lintText(`// SPDX-License-Identifier: Apache-2.0\n${code}\n`, { filePath: file });
    results.push({
      rule,
      what: `\`${code.slice(0, 60)}\` in ${file}`,
      fired: result?.messages.some((message) => message.ruleId === rule && message.severity === 2) ?? false,
    });
  }
  return results;
}
