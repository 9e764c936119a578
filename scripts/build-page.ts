import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

const root = join(import.meta.dirname, '..');
const configFile = join(root, 'web', 'vite.config.ts');

/** `dist/web`: the page that the server serves; `dist/report.html`: the same page as one file, with a place for its data. Returns all bundled modules. */
export async function buildPage(): Promise<string[]> {
  // A build inside a test must produce the same files.
  process.env.NODE_ENV = 'production';
  await build({ configFile });
  const report = await build({
    configFile,
    build: {
      write: false,
      copyPublicDir: false,
      modulePreload: false,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const { output } = report as Rolldown.RolldownOutput;
  writeFileSync(join(root, 'dist', 'report.html'), reportPage(output));
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
}

function reportPage(output: Rolldown.RolldownOutput['output']): string {
  const scripts = output.flatMap((part) => (part.type === 'chunk' ? [part.code] : []));
  const styles = output.flatMap((part) =>
    part.type === 'asset' && part.fileName.endsWith('.css') ? [String(part.source)] : [],
  );
  const [script = '', ...more] = scripts;
  if (more.length > 0 || script === '') throw new Error(`a report is one script, not ${scripts.length}`);
  // No string in the script may end the script element.
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const style = styles.join('\n');
  const policy = `default-src 'none'; script-src '${hash(code)}'; style-src '${hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Runwire report</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This report needs JavaScript.</noscript></div>
<script type="application/json" id="runwire-data">{{data}}</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
