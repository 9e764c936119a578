import type { PermissionRules } from '../permissions/rules.ts';
import type { Tool } from './tool.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { fetch } from './fetch.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import type { NetworkOptions } from './http-get.ts';
import type { Reach } from './reach.ts';
import { read } from './read.ts';
import { todo } from './todo.ts';
import { write } from './write.ts';

export interface BuiltinToolsOptions {
  /** Where file tools may work, what searches leave out, and where redirects may lead. */
  permissions: PermissionRules;
  network?: NetworkOptions;
  /** Whether commands are kept from seeing other processes, where the system supports it. */
  contained?: boolean;
  /** What they can reach; unset: whatever they can. */
  reach?: Reach | undefined;
}

/** The tools of the built-in agent. */
export function builtinTools({ permissions, network, contained = false, reach }: BuiltinToolsOptions): Tool[] {
  const { directories } = permissions;
  return [
    bash({ contained, reach }),
    read(directories),
    write(directories),
    edit(directories),
    grep(permissions),
    glob(permissions),
    fetch(permissions, network, reach),
    todo,
  ];
}
