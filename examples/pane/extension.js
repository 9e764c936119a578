// An editor pane: a VS Code extension that follows the newest run of this folder in an output channel.
const vscode = require('vscode');

async function* messages(path, signal) {
  const { server, token } = vscode.workspace.getConfiguration('runwire');
  const response = await fetch(server + path, { headers: { Authorization: `Bearer ${token}` }, signal });
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop();
    for (const part of parts) {
      const [event, data] = ['event', 'data'].map((name) => part.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1]);
      if (data) yield { event, data: JSON.parse(data) };
    }
  }
}

exports.activate = async (context) => {
  const channel = vscode.window.createOutputChannel('Runwire');
  const status = vscode.window.createStatusBarItem();
  const left = new AbortController();
  context.subscriptions.push(channel, status, { dispose: () => left.abort() });
  const here = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const seen = new Set();
  for await (const { data: run } of messages('/api/live', left.signal)) {
    if (run.cwd !== here) continue;
    status.text = `$(${run.status === 'running' ? 'sync~spin' : run.status === 'success' ? 'check' : 'error'}) ${run.agent ?? 'agent'}`;
    status.show();
    if (!seen.has(run.id)) follow(run).catch((error) => channel.appendLine(String(error)));
    seen.add(run.id);
  }
  async function follow({ id, title }) {
    channel.appendLine(`▶ ${title}`);
    for await (const { event, data } of messages(`/api/runs/${id}/records`, left.signal)) {
      if (event === 'end') channel.appendLine(`— ${data.outcome.status}: ${data.outcome.message}`);
      if (event === 'records') for (const { type, name } of data) if (type === 'item.started') channel.appendLine(`  ${name}`);
    }
  }
};
