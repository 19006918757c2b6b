// SPDX-License-Identifier: Apache-2.0
export { compileScript, compileText, type Compiled } from './compile/compile.ts';
export { describeText, type Text } from './compile/text.ts';
export type { Condition, Effects, Program, Step } from './compile/program.ts';
export type {
  CertificateFacts,
  Command,
  CommandEnded,
  Destination,
  DirectoryEntry,
  DiskFacts,
  FileFacts,
  Host,
  HttpAnswer,
  HttpRequest,
  ProcessFacts,
} from './host/host.ts';
export {
  HostClock,
  HostEnvironment,
  HostFiles,
  HostNet,
  HostProcess,
  HostRandom,
  HostSystem,
  UnreachableError,
} from './host/host.ts';
export { SCRIPT_LIMITS, VERB_LIMITS } from './limits.ts';
export type { LocatedProblem, Problem } from './problem.ts';
export { byGroup, describeVerb, exampleOf, promptText, reference, signatureOf, titleOf } from './registry/reference.ts';
export { VERBS } from './registry/registry.ts';
export { arityOf, VERB_GROUPS, type Verb, type VerbEffect, type VerbGroup, type VerbRow } from './registry/verb.ts';
export { ENVIRONMENT_BYTES_MAX, EnvironmentError, parseEnvironment } from './rules/environment.ts';
export { commandOf } from './rules/match-template.ts';
export { rulesOf, RulesError, SHIPPED_RULES, type Rules } from './rules/rules.ts';
export { DEFAULT_SANDBOX, inContainer, sandboxFrom, type Sandbox, type SandboxData } from './rules/sandbox.ts';
export { RuleSet, type BlacklistEntry, type CommandTemplate } from './rules/schema.ts';
export { runOrder, compileAny, type ScriptOrder } from './run/order.ts';
export { reportOf, type RanReport, type ScriptReport, type StepReport } from './run/report.ts';
export { STEP_STATUSES, type ScriptResult, type StepResult, type StepStatus } from './run/result.ts';
export { runProgram } from './run/run-program.ts';
export {
  definitionBytes,
  readDefinition,
  SANDBOX_LIMITS,
  sandboxDefinitionDigest,
  type DefinitionRead,
  type SandboxDefinition,
} from './sandboxes/definition.ts';
export {
  dataOf,
  readSignedSandbox,
  SANDBOX_PAYLOAD_TYPE,
  SandboxStatement,
  SignedSandboxError,
  signSandbox,
  verifySandbox,
  type SandboxSource,
  type SignedSandbox,
  type StoredSandbox,
} from './sandboxes/signed-sandbox.ts';
export { type PredictedScript } from './tool/predicted-script.ts';
export { shapeProblems } from './script/parse.ts';
export { ScriptSchema } from './script/schema.ts';
export { DEFAULT_OPTIONS, type Operation, type Script, type ScriptOptions } from './script/script.ts';
