import { readFileSync } from 'node:fs';
import type { Program } from './child.ts';
import { namespaced, ownTable, systemTool } from './namespace.ts';
import { quote } from './quote.ts';

/** Where the network of a command ends. */
export interface Border {
  /** How `nsenter` is told which namespaces to enter. */
  readonly enter: readonly string[];
  /** Variables that lead a command to what it may reach. */
  readonly variables: Readonly<Record<string, string>>;
  /** Sockets of programs outside, which have a path and so are reached from any network. */
  sockets(): readonly string[];
  /** Shell: what is mounted within it besides. */
  readonly mounts: readonly string[];
  /** Its network belongs to a user namespace, which is entered first. */
  readonly hasOwnUsers: boolean;
}

export const isRoot = (): boolean => process.geteuid?.() === 0;

const sysAdmin = 1n << 21n;

/** Whether we may make namespaces as we are: root may not where it gave that right up, as inside a private copy. */
export function canAdminister(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(isRoot() ? readFileSync('/proc/self/status', 'utf8') : '')?.[1];
  return effective !== undefined && (BigInt(`0x${effective}`) & sysAdmin) !== 0n;
}

/** Capabilities that root gives up inside: they would give access to what lies below a mount. */
const forbidden = ['sys_admin', 'sys_ptrace', 'sys_rawio', 'sys_module', 'mknod', 'dac_read_search'];
/** And those that would change the network inside, or forge what is sent there. */
const forbiddenAtBorder = ['net_admin', 'net_raw'];

/**
 * A command in its own mount and process namespace, as the current user and without the right to change mounts: otherwise it
 * could remove what `prepare` mounts. With a border, it has that network, and cannot leave it.
 */
export function confined(
  { command, args }: Pick<Program, 'command' | 'args'>,
  prepare: string,
  border?: Border,
): Pick<Program, 'command' | 'args'> {
  const unshare = systemTool('unshare') ?? 'unshare';
  const own = ['--mount', '--pid', '--fork', '--kill-child'];
  // The user namespace of a border is entered, not made: only in the one that its network belongs to may it be entered, too.
  const user = isRoot() || border !== undefined ? [] : ['--user', '--map-root-user'];
  const { program, flags } =
    border === undefined
      ? { program: unshare, flags: [...user, ...own] }
      : { program: systemTool('nsenter') ?? 'nsenter', flags: [...border.enter, '--', unshare, ...own] };
  if (isRoot() && border?.hasOwnUsers !== true) {
    const without = border === undefined ? forbidden : [...forbidden, ...forbiddenAtBorder];
    return namespaced(
      systemTool('setpriv') ?? 'setpriv',
      [`--bounding-set=${without.map((each) => `-${each}`).join(',')}`, '--', command, ...args],
      { program, flags, prepare: `${ownTable} && ${prepare}` },
    );
  }
  const self = ['--user', `--map-user=${process.geteuid?.()}`, `--map-group=${process.getegid?.()}`, '--'];
  return namespaced(unshare, [...self, command, ...args], {
    program,
    flags,
    prepare: `mount -t proc proc /proc && ${prepare}`,
  });
}

/** The same command within a border, and with nothing else of its own. */
export function bordered<Order extends Pick<Program, 'command' | 'args'>>(order: Order, border: Border): Order {
  return { ...order, ...confined(order, cover(border), border) };
}

/** Shell: nobody answers at the sockets of programs outside any more. Those that cannot be seen cannot be reached either. */
export function cover(border: Border): string {
  const paths = border.sockets().map(quote).join(' ');
  const covering = `{ for socket in ${paths}; do [ ! -S "$socket" ] || mount --bind /dev/null "$socket" || exit 125; done; }`;
  return [':', ...(paths === '' ? [] : [covering]), ...border.mounts].join(' && ');
}
