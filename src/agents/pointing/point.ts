import type { AgentCli, Ask } from '../agent-cli.ts';
import { NotPointed, type Pointing, type PointingPlace } from './pointing.ts';
import { listUserFolder, readUserFile } from './user-files.ts';

type KnownPlace = Pick<PointingPlace, 'env' | 'version'> & Partial<PointingPlace>;

/** How an agent is pointed at another address, or why it cannot be. Settings that are broken or hostile are a reason, never a crash. */
export async function pointAgent({ title, point }: AgentCli, ask: Ask, place: KnownPlace): Promise<Pointing> {
  if (point === undefined)
    return { cannot: `${title} cannot be sent through the wire: no way is known to give it another address.` };
  try {
    return withheldOnce(await point(ask, { read: readUserFile, list: listUserFolder, ...place }));
  } catch (error) {
    if (!(error instanceof NotPointed)) throw error;
    return { cannot: `${title} cannot be sent through the wire: ${error.message}.` };
  }
}

/** A variable that is set is not withheld. */
function withheldOnce(pointing: Pointing): Pointing {
  if ('cannot' in pointing) return pointing;
  return {
    ...pointing,
    direct(to) {
      const directions = pointing.direct(to);
      return { ...directions, without: directions.without.filter((name) => !Object.hasOwn(directions.env, name)) };
    },
  };
}
