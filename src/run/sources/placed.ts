import { type Border, bordered } from '../../processes/confined.ts';
import type { Order } from '../../workspace/isolation.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** How a command is started: in its copy, if it has one, and within its border, if there is one. */
export function placed(
  order: Order,
  { workspace, border }: { workspace?: Pick<Workspace, 'inside'> | undefined; border?: Border | undefined },
): Order {
  const given = border === undefined ? order : { ...order, env: { ...order.env, ...border.variables } };
  if (workspace !== undefined) return workspace.inside(given, border);
  return border === undefined ? given : bordered(given, border);
}
