import { jsonSchema, type ToolSet } from 'ai';
import { z } from 'zod';
import type { AgentOptions } from '../agent.ts';
import type { Decide } from '../permissions/rules.ts';
import type { Tool } from './tool.ts';

/** What the agent can do in this run, and the function that decides what it may do. */
export interface Toolbox {
  tools: readonly Tool[];
  decide: Decide;
  close(): Promise<void>;
}

export type OpenToolbox = (options: AgentOptions) => Promise<Toolbox>;

/** The tools as they are described to the model. They are run here, not by the SDK: one question gives one answer. */
export function toolSetOf(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(
          z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Parameters<typeof jsonSchema>[0],
        ),
      },
    ]),
  );
}
