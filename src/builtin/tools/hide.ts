import type { Redactor } from '../../redact/redactor.ts';

/** Removes from a tool's output what the model must not see; `subject` is what the call was about. */
export type Hide = (output: string, tool: string, subject: string) => string;

/** Files that exist to hold credentials, of git and related tools. */
const credentialFile =
  /(?:^|\/)(?:\.git\/config|\.gitconfig|\.git-credentials|[._]netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.dockercfg|\.docker\/config\.json|\.kube\/config|\.aws\/credentials|\.config\/gh\/hosts\.yml|id_(?:rsa|dsa|ecdsa|ed25519))$/;
/** How git stores credentials: in the address of a remote, or as an extra header. */
const ofGit = [
  'url-password',
  'url-token',
  'basic-auth',
  'bearer-token',
  'authorization',
  'github-token',
  'gitlab-token',
];

/**
 * Secret values that are withheld from commands are hidden everywhere. Keys of known shapes stay visible in source files, which
 * the model could not edit otherwise; in files that exist to hold them, and in command output, they are hidden.
 */
export function hiderOf(redactor: Redactor): Hide {
  let values: Redactor | undefined;
  let git: Redactor | undefined;
  return (output, tool, subject) => {
    if (tool === 'read' && credentialFile.test(subject)) return redactor.text(output);
    if (tool === 'bash' || tool === 'grep') return (git ??= redactor.narrowed(ofGit)).text(output);
    return (values ??= redactor.narrowed([])).text(output);
  };
}
