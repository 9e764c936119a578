import { modes } from './modes.ts';

// An agent that misbehaves in the way that its first argument names; started as codex, in the way of a variable, which that
// agent's plan lets through.
const [first = ''] = process.argv.slice(2);
if (first === '--version') process.stdout.write('codex-cli 0.166.0\n');
else await modes[first === 'exec' ? (process.env['CODEX_FAKE_MODE'] ?? 'good run') : first]?.();
