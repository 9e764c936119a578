import type { ModelMessage } from 'ai';
import type { Draft } from '../events/event.ts';
import type { AgentOptions, Start } from './agent.ts';
import { Conversation } from './conversation.ts';
import { FinalAnswer } from './answer/final-answer.ts';
import { openModel } from './models/providers.ts';
import { PatientModel } from './models/patient-model.ts';
import { openOutputSchema } from './answer/output-schema.ts';
import { loadSession, sessionSaver } from './session.ts';
import { Spending } from './spending.ts';
import { ToolCalls } from './tools/calls.ts';

/** Everything that the loop works with. */
export interface Prepared {
  options: AgentOptions;
  model: PatientModel;
  spending: Spending;
  conversation: Conversation;
  tools: ToolCalls;
  finalAnswer: FinalAnswer;
  save(messages: readonly ModelMessage[]): Promise<void>;
  emit(draft: Draft): void;
  close(): Promise<void>;
}

/** Opens everything that can fail before the first model call: schema, session, model, price, instructions, tools. */
export async function prepare(
  options: AgentOptions,
  { sessionId, system, openToolbox, emit }: Start,
): Promise<Prepared> {
  // The SDK prints its warnings to the console unless it is told not to.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const check = options.outputSchema === undefined ? undefined : await openOutputSchema(options.outputSchema);
  const earlier = options.resume === undefined ? [] : (await loadSession(options.resume, options.env)).messages;
  const opened = await openModel({ ...options, sessionId });
  const open =
    options.recordModel === undefined
      ? opened
      : (await import('./models/record.ts')).recordModel(opened, options.recordModel, options);
  const spending = await Spending.open(options, open.id);
  const toolbox = await openToolbox(options);
  const model = new PatientModel(open, { options, spending, emit });
  const tools = new ToolCalls(toolbox, { options, emit });
  return {
    options,
    model,
    spending,
    conversation: new Conversation({ options, model, system, tools, earlier, emit }),
    tools,
    finalAnswer: new FinalAnswer(check, emit),
    save: sessionSaver({ sessionId, options, emit }),
    emit,
    close: () => toolbox.close(),
  };
}
