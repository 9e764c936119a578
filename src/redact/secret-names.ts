const strong =
  /KEYS?(?:_|$|\d)|TOKENS?(?:_|$)|SECRET|PASSW(?:OR)?D|PASSPHRASE|_PWD$|_PASS$|^(?:SSH|DB|FTP|SMTP|LDAP|ROOT|ADMIN|USER|SUDO)PASS$|(?:^|_)(?:HMAC|PEPPER|SERVICE_ROLE)$|(?:^|_)PAT$|DSN$|CONN(?:ECTION)?_?STR(?:ING)?(?:_|$)|WEBHOOK|(?:^|_)(?:JWT|SK|MNEMONIC)(?:_|$)|(?:SEED|RECOVERY)_?(?:PHRASE|WORDS)|KUBE_?CONFIG_(?:DATA|CONTENTS?|B(?:ASE)?64|YA?ML|JSON)$/;
const weak =
  /CREDENTIAL|AUTH|PRIVATE|COOKIE|SESSION_ID|SIGNATURE|(?:DATABASE|DB|REDIS|MONGO(?:DB)?|POSTGRES|MYSQL|AMQP|BROKER|PROXY)_UR[IL]|_PROXY$/;
const harmless =
  /AUTHOR(?:_|$)|PUBLIC|_SOCK$|XAUTHORITY|(?:_FILE|_PATH|_DIR|_NAME|_TYPE|_METHOD|_MODE|_HOST|_PORT|_ENDPOINT|_LIMIT|_COUNT|_TTL)$/;
/** These may also be the name of a key file, or of a token limit. */
const doubtful =
  /KEY|TOKEN|PASSW|CREDENTIAL|PRIVATE|COOKIE|(?:^|_)(?:AUTH(?!_SOCK$)|CREDS?|PASS|PATS?|PW|[A-Z]{2,6}PW|[HT]?OTP|MFA|PIN|HMAC|SALT|PEPPER|SERVICE_ROLE|PFX|P12|KEYSTORE|BEARER|SIGNATURE|SIGNING)(?:_|$)|(?<!ASK|BY|COM|SUR|TRES)PASS$|(?<!DESKTOP_|DBUS_|XDG_)(?<![A-Z])SESSION(?:_(?:DATA|STRING|VALUE))?$/;

/** What the name of a variable says about its value. `strong`: a secret unless it plainly is not; `weak`: a secret only if it looks like one. */
export function secrecyOf(name: string): 'strong' | 'weak' | undefined {
  const words = wordsOf(name);
  if (harmless.test(words)) return undefined;
  return strong.test(words) ? 'strong' : weak.test(words) ? 'weak' : undefined;
}

/**
 * Whether a name alone is reason enough to keep the variable from a command. Wider than `secrecyOf`: a command rarely misses a
 * variable, but a reader misses every harmless word that is taken out of a text.
 */
export function isWithheld(name: string): boolean {
  return [name.toUpperCase(), wordsOf(name)].some((each) => doubtful.test(each) || strong.test(each));
}

/** Also names that often hold secrets among other things, or are other words for one. */
const neverShown =
  /AUTH(?!OR(?!I[STZ]))|PASSCODE|BEARER|(?:^|_)(?:PWD|JWT|OTP|(?:DOT)?ENVS?|ENV_?(?:VARS?|IRON|IRONMENT)S?)(?:_|$)/;
/** Words that merely contain such a name. */
const innocent = /KEYWORD|KEYBOARD/g;

/** Whether the value of an argument with this name is never shown in a call, whatever it is. The widest of the three. */
export function soundsSecret(name: string): boolean {
  const joined = name.toUpperCase().replace(/[^A-Z\d]+/g, '');
  const words = wordsOf(name).replace(/[^A-Z\d]+/g, '_');
  return [joined, words].some((each) =>
    [strong, doubtful, neverShown].some((sound) => sound.test(each.replace(innocent, ''))),
  );
}

/** Turns `dbPassword` into `DB_PASSWORD`. */
const wordsOf = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase();
