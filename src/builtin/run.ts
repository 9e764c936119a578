import type { Draft } from '../events/event.ts';
import type { AgentOptions } from './agent.ts';
import { Conversation } from './conversation.ts';
import { Spending } from './spending.ts';
import type { Claim } from './loop.ts';
import { openModel } from './models/providers.ts';
import { openOutputSchema } from './output-schema.ts';
import { PatientModel } from './models/patient-model.ts';
import { systemPrompt } from './system-prompt.ts';
import { loadSession } from './session.ts';
import type { OpenToolbox } from './tools/toolbox.ts';

interface Surroundings {
  sessionId: string;
  openToolbox: OpenToolbox;
  emit: (draft: Draft) => void;
}

/** Prepares everything that can be wrong before the first question is sent, then talks to the model until it is done. */
export async function run(options: AgentOptions, { sessionId, openToolbox, emit }: Surroundings): Promise<Claim> {
  // The SDK prints its warnings to the console unless it is told not to.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const check = options.outputSchema === undefined ? undefined : openOutputSchema(options.outputSchema);
  const earlier = options.resume === undefined ? [] : (await loadSession(options.resume, options.env)).messages;
  const opened = await openModel({ ...options, sessionId });
  const open =
    options.recordModel === undefined ? opened : (await import('./models/record.ts')).recordModel(opened, options.recordModel, options);
  const spending = await Spending.open(options, open.id);
  const system = await systemPrompt(options);
  const toolbox = await openToolbox(options);
  try {
    const model = new PatientModel(open, { options, spending, emit });
    return await new Conversation({ options, sessionId, model, spending, system, check, toolbox, earlier, emit }).toEnd();
  } finally {
    // Whatever a server of tools says at its end does not change what the run came to.
    await toolbox.close().catch(() => {});
  }
}
