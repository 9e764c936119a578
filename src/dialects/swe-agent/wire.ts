import { z } from 'zod';

const Info = z.looseObject({ exit_status: z.string().nullish(), submission: z.string().nullish() });
const Step = z.looseObject({ action: z.string(), observation: z.string().nullish() });

/** One document: of SWE-agent, or of mini-SWE-agent. */
export const Trajectory = z.union([
  z.looseObject({ trajectory: z.array(Step), info: Info }),
  z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })), info: Info }),
]);
