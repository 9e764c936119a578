import type { Redactor } from '../../redact/redactor.ts';

/** Takes out of the output of a tool what its model must not know; `subject` is what the call was about. */
export type Hide = (output: string, tool: string, subject: string) => string;

/** Files that are there to hold credentials, of git and of the tools beside it. */
const credentialFile =
  /(?:^|\/)(?:\.git\/config|\.gitconfig|\.git-credentials|[._]netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.dockercfg|\.docker\/config\.json|\.kube\/config|\.aws\/credentials|\.config\/gh\/hosts\.yml|id_(?:rsa|dsa|ecdsa|ed25519))$/;
/** How git keeps credentials: in the address of a remote, or as an extra header. */
const ofGit = ['url-password', 'url-token', 'basic-auth', 'bearer-token', 'authorization', 'github-token', 'gitlab-token'];

/**
 * The values that commands do not get are hidden everywhere. Keys of known shapes stay in sources, which the model could not
 * edit otherwise; in files that are there to hold them, and in what commands print, they are hidden.
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
