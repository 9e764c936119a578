// A Slack message for every run that ends badly: RUNWIRE_READ_TOKEN=… SLACK_WEBHOOK_URL=… node slack.mjs
const { RUNWIRE_SERVER: server = 'http://127.0.0.1:7717', RUNWIRE_READ_TOKEN: token, SLACK_WEBHOOK_URL: hook } = process.env;
const headers = { Authorization: `Bearer ${token}` };
const told = new Set();

async function tell({ id }) {
  const run = await (await fetch(`${server}/api/runs/${id}`, { headers })).json();
  const why = run.outcome.verdict.evidence.map(({ signal, detail }) => `• ${signal}: ${detail}`).slice(0, 5);
  const text = [`*${run.class}* ${run.agent ?? ''} in ${run.cwd ?? '?'}: ${run.title}`, ...why, `${server}/runs/${id}`].join('\n');
  await fetch(hook, { method: 'POST', body: JSON.stringify({ text: text.replaceAll(/[&<>]/g, (each) => `&#${each.charCodeAt(0)};`) }) });
}

async function listen() {
  const response = await fetch(`${server}/api/live`, { headers });
  if (!response.ok) throw new Error((await response.json()).error.message);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop();
    for (const part of parts) {
      const data = part.match(/^event: run\ndata: (.*)$/m)?.[1];
      if (data === undefined) continue;
      const run = JSON.parse(data);
      if (run.status === 'running' || run.class === 'success' || told.has(run.id)) continue;
      told.add(run.id);
      await tell(run).catch(console.error);
    }
  }
}

for (;;) {
  await listen().catch((error) => console.error(error.message));
  await new Promise((resolve) => setTimeout(resolve, 2000));
}
