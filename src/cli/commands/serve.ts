import { command } from '../command.ts';
import { ledgerOption } from '../runs/ledger.ts';

const defaultPort = 7717;

export const serve = command({
  name: 'serve',
  summary: 'Serve the dashboard for a browser, and an API for your own panes',
  description: `Serves the runs of a ledger on this machine: live runs of all processes, and those that "runwire run --report" sends.
The link on stderr opens it in a browser; the link contains your token, which stays the same until --new-token.
Tokens for others come from RUNWIRE_READ_TOKEN, RUNWIRE_STOP_TOKEN and RUNWIRE_REPORT_TOKEN, or from --tokens FILE.
To serve other machines, give it your own certificate, or put it behind a reverse proxy that has one.`,
  options: {
    port: { type: 'string', value: 'N', help: `Port to listen on (default: ${defaultPort}; 0: any free port)` },
    host: {
      type: 'string',
      value: 'ADDRESS',
      help: 'Address to listen on (default: 127.0.0.1; others need --tls-cert and --tls-key, or --behind-proxy)',
    },
    open: { type: 'boolean', help: 'Open the page in the browser' },
    'new-token': { type: 'boolean', help: 'Make a new token; links and pages with the old one must be opened again' },
    'no-token': { type: 'boolean', help: 'Require no token: let everybody on this machine in; only for 127.0.0.1' },
    tokens: {
      type: 'string',
      value: 'FILE',
      help: 'More tokens, one per line: read,stop TOKEN NAME (rights: read, stop, report)',
    },
    'allow-origin': {
      type: 'string',
      multiple: true,
      value: 'ORIGIN',
      help: 'Let pages of this origin use the API with a token of their own; null: local files; may be repeated',
    },
    'tls-cert': { type: 'string', value: 'FILE', help: 'Certificate (PEM); only requests for its names are answered' },
    'tls-key': { type: 'string', value: 'FILE', help: 'Private key of the certificate (PEM)' },
    'behind-proxy': {
      type: 'string',
      value: 'ORIGIN',
      help: 'The public address, behind a reverse proxy, such as https://runs.example.com',
    },
    ...ledgerOption,
  },
  examples: [
    ['runwire serve --open', 'Watch what runs on this machine'],
    [
      'RUNWIRE_REPORT_TOKEN=… runwire serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
      'For a team; CI reports to it',
    ],
    [
      'runwire serve --host 127.0.0.1 --behind-proxy https://runs.example.com --tokens tokens.txt',
      'Behind nginx or Caddy',
    ],
  ],
  async run(values, operands, context) {
    const { startServing } = await import('../serve/start.ts');
    return startServing(values, operands, context, defaultPort);
  },
});
