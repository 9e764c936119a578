import { Failure } from '../../failure.ts';
import { withoutPassword } from '../../redact/url-password.ts';
import type { ReportRequest } from '../../run/sinks/report/report.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** Where to report runs: the flag, else `RUNWIRE_REPORT`; undefined: nowhere. */
export function readReport(flag: string | undefined, env: Environment): ReportRequest | undefined {
  const address = flag ?? (env['RUNWIRE_REPORT'] || undefined);
  if (address === undefined || address === 'none') return undefined;
  const name = flag === undefined ? 'RUNWIRE_REPORT' : '--report';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Failure(
      'input',
      `${name} ${withoutPassword(address)}: expected the address of a "runwire serve", such as https://runs.example.com`,
    );
  if (url.protocol === 'http:' && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
    throw new Failure(
      'input',
      `${name} ${withoutPassword(address)}: to another machine it must be https, so that nobody on the way can read it`,
    );
  return { url: url.origin, token: env['RUNWIRE_REPORT_TOKEN'] || undefined };
}
