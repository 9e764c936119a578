import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const sdk = dirname(createRequire(import.meta.url).resolve('@agentclientprotocol/sdk'));
const schema = JSON.parse(readFileSync(join(sdk, '..', '..', '..', 'schema', 'v1', 'schema.json'), 'utf8')) as object;

/** The schema of ACP version 1, as its own package ships it. */
const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false, validateFormats: false });
ajv.addSchema(schema, 'acp');
function part(name: string): ValidateFunction {
  return (ajv.getSchema(`acp#/$defs/${name}`) ?? ajv.compile({ $ref: `acp#/$defs/${name}` })) as ValidateFunction;
}

/** The schema of a whole message takes any method and any result: what is in them is checked by its name. */
const params: Record<string, string> = {
  initialize: 'InitializeRequest',
  authenticate: 'AuthenticateRequest',
  'session/new': 'NewSessionRequest',
  'session/load': 'LoadSessionRequest',
  'session/resume': 'ResumeSessionRequest',
  'session/prompt': 'PromptRequest',
  'session/cancel': 'CancelNotification',
  'session/set_mode': 'SetSessionModeRequest',
  'session/set_config_option': 'SetSessionConfigOptionRequest',
  'session/update': 'SessionNotification',
  'session/request_permission': 'RequestPermissionRequest',
};
const results: Record<string, string> = {
  initialize: 'InitializeResponse',
  authenticate: 'AuthenticateResponse',
  'session/new': 'NewSessionResponse',
  'session/load': 'LoadSessionResponse',
  'session/resume': 'ResumeSessionResponse',
  'session/prompt': 'PromptResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/request_permission': 'RequestPermissionResponse',
};

interface Message {
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** What ACP's own schema says against a message; `asked` is the method that an answer belongs to. */
export function faultsOf(message: Message, asked?: string): string[] {
  const { method } = message;
  if (method !== undefined) {
    const name = params[method];
    return name === undefined ? [`unknown method ${method}`] : refusal(part(name), message.params);
  }
  if (message.error !== undefined) return refusal(part('Error'), message.error);
  const name = asked === undefined ? undefined : results[asked];
  return name === undefined ? [`answer to ${asked}`] : refusal(part(name), message.result);
}

function refusal(validate: ValidateFunction, value: unknown): string[] {
  return validate(value)
    ? []
    : [`${JSON.stringify(value)?.slice(0, 300)}: ${ajv.errorsText(validate.errors).slice(0, 300)}`];
}
