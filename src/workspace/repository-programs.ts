import { systemFolders } from '../processes/trusted.ts';
import { shellScript } from '../files/shell-script.ts';

/** How each of our shell scripts begins: its tools are the system's, and git is the one that was found. */
export const scriptStart = `PATH=${systemFolders}:$PATH\n${shellScript(import.meta.dirname, 'scripts/start.sh')}`;

export const withoutPrograms = 'without_programs\n';
