import { z } from 'zod';

const Text = z.string();

/** What the agent and everything that it starts can reach, if that was asked for; absent: whatever it can. */
export const networkFields = {
  network: z.enum(['model', 'none']).optional(),
  /** Hosts that can be reached besides. */
  allowed_hosts: z.array(Text).optional(),
  /** Why the system cannot enforce it; nothing was started then. */
  network_lack: Text.optional(),
};

/** Something was not let out of the network of a run. */
export const NetworkRefused = z.strictObject({
  type: z.literal('network.refused'),
  /**
   * Where it was seen: at the `proxy` that lets allowed hosts through, at the server for `names` (DNS), at a `tool` of the built-in agent.
   * `direct`: it was sent past these, and only counted; `other`: so many hosts were asked for that these are only counted, too.
   */
  via: z.enum(['proxy', 'names', 'tool', 'direct', 'other']),
  host: Text.optional(),
  port: z.int().nonnegative().optional(),
  /** The name of the process that asked, where the system says. */
  process: Text.optional(),
  reason: Text,
  /** How often, since it was told last. */
  count: z.int().nonnegative(),
});
