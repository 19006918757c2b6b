// SPDX-License-Identifier: Apache-2.0
// Kinds of nodes of the grammar of PowerShell, by how their children run.

/** Nodes whose children run one after another. */
export const IN_ORDER = new Set([
  'program',
  'statement_list',
  'statement_block',
  'pipeline',
  'script_block',
  'script_block_body',
  'named_block_list',
  'named_block',
  'flow_control_statement',
  'while_condition',
  'for_initializer',
  'for_condition',
  'for_iterator',
  'switch_condition',
  'inlinescript_statement',
  'sequence_statement',
  'data_statement',
  'sub_expression',
  'parenthesized_expression',
  'array_expression',
]);
/** Nodes that may run or not. */
export const PERHAPS = new Set([
  'if_statement',
  'elseif_clause',
  'else_clause',
  'elseif_clauses',
  'switch_statement',
  'switch_body',
  'switch_clauses',
  'switch_clause',
  'try_statement',
  'catch_clauses',
  'catch_clause',
  'finally_clause',
  'trap_statement',
]);
/** Nodes that may run repeatedly. */
export const REPEATED = new Set(['while_statement', 'do_statement', 'for_statement', 'parallel_statement']);
/** Nodes that only declare properties of others. */
export const DECLARES = new Set([
  'param_block',
  'enum_statement',
  'empty_statement',
  'block_name',
  'label',
  'pipeline_chain_tail',
  'switch_parameters',
  'foreach_parameter',
  'catch_type_list',
  'data_name',
]);
