import type { PermissionRules } from '../permissions/rules.ts';
import type { Tool } from './tool.ts';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { fetch } from './fetch.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import type { NetworkOptions } from './http-get.ts';
import { read } from './read.ts';
import { todo } from './todo.ts';
import { write } from './write.ts';

export interface BuiltinToolsOptions {
  /** Where file tools may work, what searches leave out, and where redirects may lead. */
  permissions: PermissionRules;
  network?: NetworkOptions;
  /** Whether commands are kept from seeing other processes, where the system supports it. */
  contained?: boolean;
}

/** The tools of the built-in agent. */
export function builtinTools({ permissions, network, contained = false }: BuiltinToolsOptions): Tool[] {
  const { directories } = permissions;
  return [
    bash({ contained }),
    read(directories),
    write(directories),
    edit(directories),
    grep(permissions),
    glob(permissions),
    fetch(permissions, network),
    todo,
  ];
}
