import { NotPointed, type Pointed, type PointingPlace } from './pointing.ts';
import { heldKeys } from './held.ts';
import { given, routeOf } from './route-of.ts';
import { UserFiles } from './user-files.ts';
import type { Provider } from './with-others.ts';

/** An agent whose address and key are variables. */
interface ByVariables {
  name: string;
  keyVariable: string;
  addressVariable: string;
  /** The address that it uses itself; undefined: it must be set. */
  address: string | undefined;
  /** What the address must end in, for an agent that replaces its last part. */
  end?: string;
}

/** Known from documents only. */
export function pointByVariables(
  place: PointingPlace,
  baseUrl: string | undefined,
  { name, keyVariable, addressVariable, ...own }: ByVariables,
): Pointed {
  const { env } = place;
  const address = baseUrl ?? given(env, addressVariable) ?? own.address;
  if (address === undefined) throw new NotPointed(`no address is known; set ${addressVariable}`);
  const key = given(env, keyVariable);
  if (key === undefined) throw new NotPointed(`no key was found; set ${keyVariable}`);
  const provider: Provider = { route: routeOf(name, address, key), keys: 'held' };
  return {
    routes: [provider.route],
    keys: 'held',
    tried: false,
    remarks: [],
    direct(to) {
      const held = heldKeys([provider], to.token, { env, files: new UserFiles(place) });
      return {
        ...held,
        env: { ...held.env, [keyVariable]: to.token, [addressVariable]: `${to.address(name)}${own.end ?? ''}` },
      };
    },
  };
}
