export const passwordNames = ['password', 'passwd', 'passphrase', 'pwd'];
/** What precedes `key` in the name of a secret. */
export const keyNames =
  'account|admin|api|app|application|auth|access|client|consumer|deploy|encryption|functions|license|master|private|secret|service|shared|signing|storage|subscription';

/** Other names of fields that hold a password. */
const passwordFields = `${passwordNames.join('|')}|(?:^|[_-])pass|(?:root|user|admin|bind|db|ssh)(?:pw|pass)|[_-]pw`;
const passwordName = new RegExp(`(?:${passwordFields})$`, 'i');

const secretName = new RegExp(
  `(?:${passwordFields}|secret|credentials?|authorization|(?:${keyNames}|secret[_-]?access)[_-]?key|token|(?:^|[_-])auth|cookie)$`,
  'i',
);

/** Whether a field with this name holds a secret, provided that its value looks like one. */
export function isSecretName(field: string): boolean {
  return secretName.test(field);
}

/** Whether it holds a password, which people may have chosen. */
export function isPasswordName(field: string): boolean {
  return passwordName.test(field);
}

const namings = ['name', 'key', 'Name', 'Key', 'variable', 'id'];

/** The name that an object gives to its value, if it is the name of a secret. */
export function secretNameIn(object: Record<string, unknown>): string | undefined {
  for (const field of namings) {
    const name = object[field];
    if (typeof name === 'string' && name.length <= 128 && isSecretName(name)) return name;
  }
  return undefined;
}
