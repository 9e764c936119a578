import { z } from 'zod';

export const ItemKind = z.enum([
  'tool_call',
  'command',
  'file_edit',
  'read',
  'search',
  'web',
  'mcp',
  'subagent',
  'plan',
  'publish',
  'branch_poll',
]);
export const ItemStatus = z.enum(['success', 'error', 'denied', 'cancelled', 'abandoned']);
export const FinishReason = z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'error', 'aborted', 'other']);
export const FileOperation = z.enum(['created', 'modified', 'deleted']);

/** Why something failed, in one vocabulary for all agents; the verdict's class is derived from it. */
export const ErrorCode = z.enum([
  'auth',
  'quota',
  'rate_limit',
  'server',
  'network',
  'context_overflow',
  'refused',
  'output_length',
  'model_not_found',
  'config',
  'input',
  'permission',
  'tool',
  'turn_limit',
  'loop',
  'cost_limit',
  'time_limit',
  'expectation',
  'output',
  'cancelled',
  'unknown',
]);

/** The result of verifying a branch; `base_red`: the check already failed before the branch was created. */
export const Verified = z.enum(['passed', 'failed', 'flaky', 'base_red', 'not_run']);
