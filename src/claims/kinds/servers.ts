import type { Clause } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { ofStep } from './why.ts';

const thing =
  /\b(?:server|service|app|application|endpoint|api|dev server|daemon|backend|frontend|site|page|metrics|health ?check|healthz?|website|container|process|it|homepage|ping|route|url|port)\b|localhost|127\.0\.0\.1|https?:\/\/|(?:^|[\s(])\/[a-z]\w*/;
const up =
  /\b(?:runs?|running|is up|up and running|listen(?:s|ing)|start(?:s|ed)(?: up)?|respond(?:s|ed|ing)?|answer(?:s|ed|ing)?|reachable|healthy|alive|serv(?:es|ing)|available|accessible|repl(?:ies|ied)|return(?:s|ed)|boots?|booted|ready|works?|accept(?:s|ing|ed)|deliver(?:s|ed)|gives?|gave|came up|comes up)\b/;
const down =
  /\b(?:not (?:running|reachable|responding|listening|up|available|healthy|start\w*|answer\w*|respond\w*|reply\w*|accessible|come up)|does(?: not|n't) (?:respond|answer|start|run|come up|listen|reply|boot)|did(?: not|n't) (?:respond|answer|start|come up|listen|boot)|unreachable|is down|was down|unhealthy|refus(?:es|ed|ing)(?: connections?| the connection)?|connection (?:is |was )?refused|crash(?:es|ed)|fail(?:s|ed) to start|already in use|no longer (?:running|responds|answers))\b|\b(?:nothing|nobody|no (?:server|service|process|one))\b.{0,20}\b(?:answers?|answered|listens?|listening|responds?|runs?|running)\b|\bno (?:response|answer|reply)\b|\bisn't (?:running|reachable|up|responding|listening)\b/;
const place =
  /\bport \d{2,5}\b|:\d{4,5}\b|\blocalhost\b|https?:\/\/|\/(?:health|ping|status|ready|api)\w*|^(?:\W|and |but |the )*\/[a-z][\w/-]* (?:now |also |endpoint |route |still )*(?:answers?|responds?|returns?|gives?|replies|is|works)\b/;

/** A server runs, and answers. */
export function servers(clause: Clause): Found | undefined {
  const { plain } = clause;
  const isPlaced = place.test(plain);
  const isServer = /\b(?:server|service|daemon|health ?check|health endpoint|dev server|endpoint|container)\b/.test(
    plain,
  );
  if (!isPlaced && !isServer) return undefined;
  if (!thing.test(plain)) return undefined;
  if (
    /^(?:then |so |first )?(?:i|we) (?:then |also |first )?(?:re)?(?:started|launched|ran|stopped|killed|shut)\b/.test(
      plain,
    )
  )
    return undefined;
  const isDown = down.test(plain);
  if (!isDown && !up.test(plain)) return undefined;
  if (/\b(?:tests?|lint|build|commit|file|function|handler|component|middleware)\b/.test(plain) && !isPlaced)
    return undefined;
  if (
    /\b(?:added|changed|updated|configured|fixed|implemented)\b/.test(plain) &&
    !/\b(?:now (?:runs|listens|answers|responds)|is (?:running|listening|up))\b/.test(plain)
  )
    return undefined;
  if (/\b(?:not|n't|never) (?:been )?(?:started|run|launched)\b/.test(plain)) return undefined;
  const port = /\bport (\d{2,5})\b|(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})|(?:^|[\s`]):(\d{4,5})\b/
    .exec(plain)
    ?.slice(1)
    .find((each) => each !== undefined);
  const status =
    /\b(?:status(?: code)?|http|returns?|returned|with(?: a)?|answers? with(?: an?)?|answers?|responds? with(?: an?)?|gives?(?: an?)?|returns? an?|→|->|got(?: a)?) (?:http )?([1-5]\d\d)\b|\b([1-5]\d\d) (?:ok|not found|created|no content|internal|bad|unauthori\w+|forbidden)\b/
      .exec(plain)
      ?.slice(1)
      .find((each) => each !== undefined);
  return {
    kind: 'server',
    isWhole: true,
    judge: (facts) =>
      judgeServer({
        facts,
        port,
        status,
        isDown: isDown,
        path: /(?:^|[\s`(])(\/[a-z][\w/-]*)/.exec(plain)?.[1],
        isHealthy: /\bhealth|\banswers?|\brespond|\breach/.test(plain),
        name: nameOf(plain),
      }),
  };
}

/** Which of several: "the db container". */
function nameOf(plain: string): string | undefined {
  const name = /\b([a-z][\w-]{1,30}) (?:container|service|pod|daemon)\b/.exec(plain)?.[1];
  return name === undefined ||
    /^(?:the|a|an|this|that|its|our|my|docker|web|http|local|new|whole|running|test|background|dev|development|api|backend|each|every|no|one|health|app|main)$/.test(
      name,
    )
    ? undefined
    : name;
}

/** `docker compose ps`, `systemctl status`: a line for each. */
const listers = /^(?:docker|docker-compose|podman|kubectl|systemctl|pm2|supervisorctl|service|nomad)$/;

/** What the last listing of containers or services says of that name. */
function judgeListed(facts: Facts, name: string | undefined, isDown: boolean): Judgement | undefined {
  for (const step of facts.steps.toReversed()) {
    if (!listers.test(step.program.name) || step.isRefused || step.isMissing || step.ran === 'no') continue;
    if (!/\b(?:ps|get|status|ls|list)\b/.test(step.program.args.join(' '))) continue;
    const lines = step.lines.filter((line) => name === undefined || line.toLowerCase().includes(name));
    const stopped = lines.find((line) =>
      /\b(?:exited|unhealthy|restarting|dead|crashloopbackoff|error|failed|inactive|stopped)\b/i.test(line),
    );
    const good = lines.find((line) => /\b(?:up \d|up about|up less|up a|healthy|running|active|online)\b/i.test(line));
    if (name === undefined && (stopped !== undefined || good === undefined)) continue;
    const line = stopped ?? good;
    if (line === undefined) continue;
    return ((line === stopped) === isDown ? supported : contradicted)(ofStep(step, line));
  }
  return undefined;
}

interface Seen {
  step: Step;
  isUp: boolean;
  status?: string;
  isCheck: boolean;
}

const listening =
  /\b(?:listening (?:on|at)|running (?:on|at)|ready (?:on|in|at)|started (?:server )?on|serving (?:on|at|HTTP)|server (?:started|is running|listening|ready)|Local:\s|Uvicorn running|Booting worker|Development server (?:at|is running)|available (?:at|on)|Now listening on|Listening at|started on port|Network:\s)/i;
const refused =
  /connection refused|failed to connect|couldn't connect|could not connect|econnrefused|connection reset|empty reply|timed out|could not resolve/i;
const startError =
  /EADDRINUSE|address already in use|error: listen|port \d+ is (?:already )?in use|failed to bind|Error: Cannot find module|panic:|Traceback/i;

function judgeServer({
  facts,
  port,
  status,
  isDown,
  path,
  isHealthy,
  name,
}: {
  facts: Facts;
  port: string | undefined;
  status: string | undefined;
  isDown: boolean;
  path: string | undefined;
  isHealthy: boolean;
  name: string | undefined;
}): Judgement {
  if (name !== undefined && port === undefined) {
    const listed = judgeListed(facts, name, isDown);
    if (listed !== undefined) return listed;
    // Another service may be what the checks asked.
    if (facts.steps.some(({ program }) => listers.test(program.name))) return notShown;
  }
  const seen: Seen[] = [];
  for (const step of facts.steps) {
    if (step.isRefused || step.isMissing || step.ran === 'no') continue;
    const words = [step.program.name, ...step.program.args].join(' ');
    const text = step.lines.join('\n');
    const isRequest =
      /^(?:curl|wget|http|https|xh|httpie|nc|ncat|telnet|hurl|grpcurl|ab|wrk|hey|lsof|ss|netstat|pg_isready|redis-cli)$/.test(
        step.program.name,
      );
    const other = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|-i ?:|:):?(\d{2,5})/.exec(words)?.[1];
    if (isRequest) {
      if (port !== undefined && other !== undefined && other !== port) continue;
      const code = statusIn(step, text);
      const isFailed =
        refused.test(text) ||
        (step.exit === 'nonzero' && !(step.program.name === 'curl' && step.code === 22 && code !== undefined));
      if (isFailed) seen.push({ step, isUp: false, isCheck: true });
      else if (code !== undefined)
        seen.push({
          step,
          // Who says "not found" of one address is there.
          isUp:
            Number(code) < 400 ||
            (!isHealthy && status === code) ||
            (Number(code) < 500 &&
              path === undefined &&
              /\w\/(?!health|ping|status|ready)\w/.test(words.replace(/https?:\/\//, ''))),
          status: code,
          isCheck: true,
        });
      else if (step.exit === 'zero' || text.trim() !== '') seen.push({ step, isUp: true, isCheck: true });
      if (
        path !== undefined &&
        !words.includes(path) &&
        seen.length > 1 &&
        seen.at(-1)?.step === step &&
        seen.some((each) => [each.step.program.name, ...each.step.program.args].join(' ').includes(path))
      )
        seen.pop();
      continue;
    }
    if (/^(?:grep|rg|echo|sed|git|ls|find)$/.test(step.program.name)) continue;
    if (/^(?:cat|tail|head|less)$/.test(step.program.name) && !/\.(?:log|out)\b|\/tmp\//.test(words)) continue;
    if (startError.test(text) && (port === undefined || !/\d{4,5}/.test(text) || text.includes(port)))
      seen.push({ step, isUp: false, isCheck: false });
    else if (listening.test(text)) {
      if (port !== undefined && /:\d{2,5}|port \d/i.test(text) && !text.includes(port)) continue;
      seen.push({ step, isUp: true, isCheck: false });
    }
  }
  // A later check outranks the log.
  const requests = seen.filter(({ isCheck }) => isCheck);
  const ofPath =
    path === undefined
      ? []
      : requests.filter(({ step: { program } }) =>
          program.args.some((arg) => arg.replace(/[?#].*$/, '').endsWith(path)),
        );
  if (path !== undefined && ofPath.length === 0 && requests.length > 0) return notShown;
  const checks = ofPath.length > 0 ? ofPath : requests;
  const last = checks.at(-1) ?? seen.at(-1);
  if (last === undefined) return notShown;
  const evidence = ofStep(last.step);
  if (status !== undefined) {
    if (last.status !== undefined) return last.status === status ? supported(evidence) : contradicted(evidence);
    return last.isUp ? notShown : contradicted(evidence);
  }
  return last.isUp === !isDown ? supported(evidence) : contradicted(evidence);
}

function statusIn(step: Step, text: string): string | undefined {
  return (
    /^HTTP\/[\d.]+ (\d{3})/m.exec(text)?.[1] ??
    (/http_code|response_code/.test(step.program.args.join(' '))
      ? /(?:^|\D)([1-5]\d\d)\s*$/.exec(text.trim())?.[1]
      : undefined) ??
    /The requested URL returned error: (\d{3})/.exec(text)?.[1] ??
    /\bstatus(?: code)?[":= ]{1,4}([1-5]\d\d)\b/i.exec(text)?.[1]
  );
}
