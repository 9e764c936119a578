// Runs the command and says, on the last line of stderr, how much memory it took at most.
import { main } from '../src/cli/main.ts';

process.exitCode = await main(process.argv.slice(2));
process.on('exit', () => process.stderr.write(`peak-rss-kb ${process.resourceUsage().maxRSS}\n`));
