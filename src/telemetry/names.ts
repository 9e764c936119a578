// Names of OpenTelemetry's GenAI conventions, and ours. The conventions still change: everything that follows them is here.

/** The last version of the conventions that includes GenAI. */
export const schemaUrl = 'https://opentelemetry.io/schemas/1.41.1';

export const operations = {
  invokeAgent: 'invoke_agent',
  invokeWorkflow: 'invoke_workflow',
  chat: 'chat',
  executeTool: 'execute_tool',
} as const;

export const names = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  workflow: 'gen_ai.workflow.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCall: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  mcpMethod: 'mcp.method.name',
  exitCode: 'process.exit.code',
  errorType: 'error.type',
  exceptionType: 'exception.type',
  exceptionMessage: 'exception.message',
  serviceName: 'service.name',
  serviceVersion: 'service.version',
  hostName: 'host.name',
  pipelineName: 'cicd.pipeline.name',
  pipelineRun: 'cicd.pipeline.run.id',
  pipelineUrl: 'cicd.pipeline.run.url.full',
  pipelineTask: 'cicd.pipeline.task.name',
  repository: 'vcs.repository.name',
  branch: 'vcs.ref.head.name',
  commit: 'vcs.ref.head.revision',
} as const;

/** Names for what the conventions do not cover. */
export const ownNames = {
  run: 'runwire.run.id',
  status: 'runwire.run.status',
  class: 'runwire.run.class',
  runExitCode: 'runwire.run.exit_code',
  turns: 'runwire.run.turns',
  toolCalls: 'runwire.run.tool_calls',
  toolErrors: 'runwire.run.tool_errors',
  cost: 'runwire.run.cost_usd',
  costSource: 'runwire.run.cost_source',
  costIs: 'runwire.run.cost_is',
  cwd: 'runwire.run.cwd',
  timesSynthetic: 'runwire.times_synthetic',
  toolKind: 'runwire.tool.kind',
  toolStatus: 'runwire.tool.status',
  toolPermission: 'runwire.tool.permission',
  filePath: 'runwire.file.path',
  fileChange: 'runwire.file.change',
  retryAttempt: 'runwire.retry.attempt',
  retryDelay: 'runwire.retry.delay_ms',
  permissionDecision: 'runwire.permission.decision',
  permissionBy: 'runwire.permission.by',
  limit: 'runwire.limit',
  limitMaximum: 'runwire.limit.maximum',
  expectationPassed: 'runwire.expectation.passed',
} as const;

/** Always a double, even for a whole number: a backend keeps the type that it saw first. */
export const doubles: ReadonlySet<string> = new Set([ownNames.cost, ownNames.limitMaximum]);

export const eventNames = {
  exception: 'exception',
  retry: 'runwire.retry',
  fileChange: 'runwire.file_change',
  permissionRequested: 'runwire.permission.requested',
  permissionResolved: 'runwire.permission.resolved',
  limit: 'runwire.limit',
  expectation: 'runwire.expectation',
} as const;
